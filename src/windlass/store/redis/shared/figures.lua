-- Buckets of figures: a hash for each length of buckets, by when they begin, and a sorted set of these instants.
local function figures_key(step) return prefix .. 'figures:' .. written(step) end
local function figure_times_key(step) return prefix .. 'figure_times:' .. written(step) end
