-- Versions of the code: a hash for each, found by when they were last seen. Needs KEY.code_versions.
local function code_version_key(version) return prefix .. 'code_version:' .. version end
