-- A parameter that is nothing, in scripts that are given theirs one by one: no text of a user's is this.
local NULL = '\0'
