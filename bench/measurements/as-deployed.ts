import { once } from "node:events";
import { DISTANCES_VARIABLE } from "#local/distances.ts";
import { startSlack } from "#test/support/platforms/slack.ts";
import { AS_DEPLOYED } from "../distances.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { connectSlack } from "../slack-channel.ts";
import { now, p50, p95 } from "../statistics.ts";
import { eventsPath, INSTANT, script, type TaskClient } from "../task-client.ts";

const WARM_UP = 5;
const ROUNDS = 30;

/** A call that asks, then an answer. */
const ASKING = script([
  { tools: [{ name: "write_file", arguments: { file_path: "asked.txt", content: "asked" } }] },
  { text: "Done." },
]);
/** A minute of text, to be stopped. */
const LONG = script([{ text: "word ".repeat(600), delay_ms: 100 }]);

/** When each type of event came first, in milliseconds after the message was sent. */
type Times = Record<string, number>;

export const asDeployed: Measurement = {
  name: "as-deployed",
  title: "What a person at a deployment waits for",
  how:
    `The database is ${AS_DEPLOYED.database} ms away, publishing to the queue takes ${AS_DEPLOYED.publish} ms and its delivery ` +
    `${AS_DEPLOYED.delivery} ms more, Redis is ${AS_DEPLOYED.redis} ms away; the model answers at once. Calls to objects are ` +
    "not delayed. One caller at a time; from the moment that a message is sent.",
  async run(bench) {
    const slack = await startSlack();
    const variables = {
      [DISTANCES_VARIABLE]: JSON.stringify(AS_DEPLOYED),
      SLACK_API_BASE_URL: slack.url,
    };
    const { client, service } = await bench.use(variables);
    const person = await connectSlack(service.url, slack).newPerson();
    const figures = [
      ...(await measured("invoke", ["acknowledged", "first event", "first token", "done"], () =>
        invoke(client),
      )),
      ...(await measured("chat over SSE", ["first frame", "first token", "done"], () =>
        stream(client, INSTANT),
      )),
      ...(await measured("chat over a socket", ["first frame", "first token", "done"], () =>
        overSocket(service.url, client),
      )),
      ...(await measured("platform", ["acknowledged", "replied"], async () => {
        const sent = now();
        await person.write(INSTANT);
        const acknowledged = now() - sent;
        await person.replied();
        return { acknowledged, replied: now() - sent };
      })),
      ...(await measured("approval", ["going on", "done"], () => approve(client))),
      ...(await measured("stop", ["cancelled"], () => stop(client))),
    ];
    await bench.rest();
    await slack.close();
    return figures;
  },
};

const GOALS: Readonly<Record<string, number>> = {
  "chat over SSE: first token": 60,
  "invoke: first event": 90,
};

async function measured(
  what: string,
  moments: readonly string[],
  round: () => Promise<Times>,
): Promise<Figure[]> {
  const all: Times[] = [];
  for (let index = -WARM_UP; index < ROUNDS; index += 1) {
    const times = await round();
    if (index >= 0) all.push(times);
  }
  return moments.flatMap((moment) => {
    const values = all.map((times) => times[moment] ?? Number.NaN);
    const name = `${what}: ${moment}`;
    const atMost = GOALS[name];
    return [
      {
        what: `${name}, p50`,
        value: p50(values),
        unit: "ms",
        ...(atMost !== undefined && { goal: { atMost } }),
      },
      { what: `${name}, p95`, value: p95(values), unit: "ms" },
    ];
  });
}

/** Notes when a type of event comes first. */
function noting(sent: number, times: Times = {}) {
  const note = (text: string, at: number) => {
    times["first event"] ??= at - sent;
    times["first frame"] ??= at - sent;
    if (text.includes('"text_delta"')) times["first token"] ??= at - sent;
    if (/"type":"done"/u.test(text)) times["done"] ??= at - sent;
  };
  return { times, note };
}

async function invoke(client: TaskClient): Promise<Times> {
  const sent = now();
  const { taskId } = await client.invoke(INSTANT);
  const { times, note } = noting(sent, { acknowledged: now() - sent });
  await client.http.events(eventsPath(taskId), (frame, at) => frame.startsWith("id: ") && note(frame, at));
  return times;
}

async function stream({ person, projectId }: TaskClient, message: string): Promise<Times> {
  const { times, note } = noting(now());
  await person.events("/api/chat/agent/stream", note, { project_id: projectId, message, edit_mode: "allow" });
  return times;
}

async function overSocket(url: string, { key, projectId }: TaskClient): Promise<Times> {
  const socket = new WebSocket(`${url.replace(/^http/u, "ws")}/ws/chat/${projectId}?token=${key}`);
  await once(socket, "open");
  const { times, note } = noting(now());
  const done = new Promise<void>((resolve) => {
    socket.addEventListener("message", ({ data }) => {
      note(String(data), now());
      if (times["done"] !== undefined) resolve();
    });
  });
  socket.send(JSON.stringify({ message: INSTANT }));
  await done;
  socket.close();
  return times;
}

/** From the answer to an approval to the call's result, and to the end. */
async function approve({ person, projectId }: TaskClient): Promise<Times> {
  let answered = Number.NaN;
  const times: Times = {};
  let answering: Promise<unknown> | undefined;
  await person.events(
    "/api/chat/agent/stream",
    (frame, at) => {
      const [, id] = /"approval_id":"([^"]+)"/u.exec(frame) ?? [];
      if (id !== undefined && answering === undefined) {
        answered = now();
        answering = person.request("POST", "/api/chat/agent/approval", {
          approval_id: id,
          response: "allow_once",
        });
      } else if (frame.includes('"agent_step"')) times["going on"] ??= at - answered;
      if (/"type":"done"/u.test(frame)) times["done"] ??= at - answered;
    },
    { project_id: projectId, message: ASKING, edit_mode: "ask" },
  );
  await answering;
  return times;
}

/** From the request to stop a task that is in the middle of an answer to the event that says so. */
async function stop(client: TaskClient): Promise<Times> {
  const { http } = client;
  const { taskId } = await client.invoke(LONG);
  let asked = Number.NaN;
  const times: Times = {};
  let asking: Promise<unknown> | undefined;
  await http.events(eventsPath(taskId), (frame, at) => {
    if (frame.includes('"text_delta"') && asking === undefined) {
      asked = now();
      asking = http.request("POST", `/api/v1/agents/tasks/${taskId}/cancel`);
    }
    if (frame.includes("\nevent: done\n")) times["cancelled"] ??= at - asked;
  });
  await asking;
  return times;
}
