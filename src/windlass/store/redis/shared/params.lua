-- The call's parameters by name. Texts of users are plain strings in MessagePack, null is nil.
local ask = cmsgpack.unpack(ARGV.params)
