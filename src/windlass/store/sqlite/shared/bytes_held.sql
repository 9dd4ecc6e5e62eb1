-- How many bytes a job of windlass_whole holds in texts.
payload_size + coalesce(octet_length(meta), 0) + coalesce(octet_length(result), 0) + coalesce(octet_length(errors), 0)
    + coalesce(octet_length(progress), 0)
