-- Tags: for each tag a sorted set of the jobs that have it, and of each job with tags the list of them as JSON text, always
-- in a key of its own, so that it is found also when the job's body is gone. Needs texts.
-- A set that another program has overwritten is left as it is: jobs are not found there, and nothing else fails.
local function tag_key(tag) return prefix .. 'tag:' .. tag end

-- There are neither quotes nor backslashes in a tag, so no JSON has to be decoded.
local function each_tag(text) return string.gmatch(text, '"([^"]+)"') end

-- A claim does not look at tags, but it sees that the payload has a key of its own: so no job with tags is taken for a plain
-- one (see state_sets), whose removal would leave its tags behind.
local function add_tags(seq, text, payload)
    set_long_text('tags', seq, text)
    set_long_text('payload', seq, payload)
    for tag in each_tag(text) do redis.pcall('ZADD', tag_key(tag), seq, seq) end
end

-- Takes a job out of the sets; its own list is left.
local function remove_tags(seq)
    local text = redis.pcall('GET', text_key('tags', seq))
    if type(text) ~= 'string' then return end
    for tag in each_tag(text) do redis.pcall('ZREM', tag_key(tag), seq) end
end
