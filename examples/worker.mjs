// A worker in JavaScript, for Node 18 or newer, without any package:
//   WINDLASS_API=http://127.0.0.1:8787/api/v1 WINDLASS_TOKEN=wl_... node worker.mjs tts
// It claims one job after the other, keeps its lease while it runs, and says how it ended.

const api = process.env.WINDLASS_API ?? "http://127.0.0.1:8787/api/v1";
const token = process.env.WINDLASS_TOKEN;
const lease = Number(process.env.LEASE ?? 30); // seconds
const queues = process.argv.slice(2);

// The tasks by name. `signal` is aborted when the job is no longer ours, or is to stop.
const tasks = {
  "tts.speak": async (args, kwargs, { progress }) => {
    await progress(0.5, "half way");
    return { said: args[0], lang: kwargs.lang ?? "en" };
  },
  "tts.wait": (args, kwargs, { signal }) =>
    new Promise((resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
};

let isStopping = false;
let running = null;
for (const name of ["SIGTERM", "SIGINT"])
  process.on(name, () => {
    isStopping = true;
    running?.abort(new Error("the worker is stopped"));
  });

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

// Repeats what was not answered, or refused for a while: every call may be repeated.
async function post(path, body) {
  for (let pause = 0.5; ; pause = Math.min(pause * 2, 30)) {
    try {
      const answer = await fetch(api + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(60_000),
      });
      if (answer.status < 500 && answer.status !== 429)
        return { status: answer.status, body: answer.status === 204 ? null : await answer.json() };
      console.error(`${path}: ${answer.status}, tried again in ${pause} s`);
    } catch (error) {
      console.error(`${path}: ${error.message}, tried again in ${pause} s`);
    }
    if (isStopping && pause > 4) process.exit(1);
    await sleep(pause);
  }
}

async function run(job) {
  const stop = (running = new AbortController());
  const own = `/leases/${encodeURIComponent(job.id)}`;
  const fenced = (verb, body = {}) => post(`${own}/${verb}`, { fence: job.fence, ...body });
  // The signal to stop may come while the answer with the job is on its way.
  if (isStopping) return await fenced("release");
  const heed = ({ status, body }) => {
    if (status === 409) stop.abort(new Error("the lease is lost"));
    else if (body?.cancel_requested) stop.abort(new Error("the job was cancelled"));
  };
  const beat = setInterval(async () => heed(await fenced("extend", { lease })), (lease / 3) * 1000);
  let ending;
  try {
    if (!(job.task in tasks)) throw new Error(`this worker does not know the task ${job.task}`);
    const progress = async (value, text) => heed(await fenced("progress", { value, text }));
    const result = await tasks[job.task](job.args, job.kwargs, { signal: stop.signal, progress });
    ending = ["complete", { result: result ?? null }];
  } catch (error) {
    ending = stop.signal.aborted ? ["release", {}] : ["fail", { error: String(error?.stack ?? error) }];
  } finally {
    clearInterval(beat);
    running = null;
  }
  const { status, body } = await fenced(...ending);
  console.log(`${job.id} ${ending[0]} ${status}${body ? ` ${body.title}: ${body.detail}` : ""}`);
}

while (!isStopping) {
  // Under the same id a repeated claim is given the same jobs, should its answer have been lost.
  const claim_id = crypto.randomUUID();
  const { status, body } = await post("/leases", { queues, lease, wait: 20, claim_id });
  if (status !== 200) throw new Error(`${status}: ${body?.detail}`);
  for (const job of body.jobs) {
    console.log(`${job.id} claimed ${job.fence}`);
    await run(job);
  }
}
