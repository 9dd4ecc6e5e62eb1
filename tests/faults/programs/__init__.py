"""What the tests run as processes of their own; each says on its standard output how far it is."""
