SELECT EXISTS (SELECT 1 FROM windlass_edge WHERE state < 2)
