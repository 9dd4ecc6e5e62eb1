-- What each version of the code declares, in the order in which they were first seen.
-- gives versions
-- gives now
WITH
-- here clock
SELECT
    (SELECT coalesce(json_agg(json_build_array({CodeVersion}) ORDER BY first_seen, version), '[]')
        FROM windlass_code_version) AS versions,
    (SELECT json_build_array(json_build_array(clock.now)) FROM clock) AS now
