-- Records a change that a person or a program has made. Cleaning removes what goes beyond :most.
INSERT INTO windlass_audit (at, who, via, action, target, count) VALUES (:now, :who, :via, :action, :target, :count)
