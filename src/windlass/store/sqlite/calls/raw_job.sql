-- What the tables hold of one job: the table, and the columns of its row by their names.
-- gives records as json
SELECT CAST(json_group_array(json_array(place, json(body))) AS BLOB) FROM (
    SELECT 'job' AS place, json_object({JobRecord; keyed}, 'claim', claim, 'gate', gate, 'promised', promised,
        'has_steps', has_steps, 'linked', linked) AS body
    FROM windlass_job WHERE id = :id
    UNION ALL
    SELECT 'payload', json_object('seq', apart.seq, 'size', apart.size, 'payload', apart.payload)
    FROM windlass_job AS job JOIN windlass_payload AS apart ON apart.seq = job.seq WHERE job.id = :id
    UNION ALL
    SELECT 'lease', json_object('id', lease.id, 'worker', lease.worker, 'state', lease.state, 'ttl', lease.ttl,
        'renewed_at', lease.renewed_at, 'blamed', lease.blamed)
    FROM windlass_job AS job JOIN windlass_lease AS lease ON lease.id = job.lease WHERE job.id = :id
    UNION ALL
    SELECT 'key', json_object({HeldKey; keyed}) FROM windlass_key WHERE id = :id)
