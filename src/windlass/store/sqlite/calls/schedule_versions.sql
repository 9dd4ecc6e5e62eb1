-- 1. versions
-- What each version of the code declares, in the order in which they were first seen.
-- gives versions
SELECT {CodeVersion} FROM windlass_code_version ORDER BY first_seen, version

-- 2. now
-- gives now
SELECT :now
