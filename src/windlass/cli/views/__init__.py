"""What commands show: each view for people and for programs."""
