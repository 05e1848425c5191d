import type { Trips } from "#src/platform/trips.ts";
import { startSlack } from "#test/support/platforms/slack.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { ServiceLog } from "../service-log.ts";
import { connectSlack } from "../slack-channel.ts";
import { eventsPath, INSTANT, type TaskClient } from "../task-client.ts";
import { tripsOf, type Budget } from "../trips.ts";

/** The limits that apply to a request, at their defaults: each may take a round trip. */
const LIMITS = {
  KEY_RATE_BURST: "60",
  CHAT_RATE_PER_MINUTE: "20",
  USER_MAX_CONCURRENT_AGENTS: "10",
  PROJECT_MAX_CONCURRENT_AGENTS: "20",
  USER_ENQUEUE_RATE_PER_10S: "20",
  CHANNEL_WEBHOOK_RATE_LIMIT: "300",
  CHANNEL_OWNER_RATE_LIMIT: "600",
};

/**
 * Most round trips of a request: database, queue publishes, object calls. To have a task begin is a call to its log, an object in
 * the same place; a message of the queue, which it took before, is a call to another company.
 */
const BUDGETS = {
  // The key signed in a moment before.
  invoke: { db: 1, publish: 0, objects: 2 },
  status: { db: 1, publish: 0, objects: 1 },
  events: { db: 1, publish: 0, objects: 2 },
  "chat/stream": { db: 2, publish: 0, objects: 3 },
  // Two of the acknowledgement. The third belongs to the first step, which begins beside it: the platform does not wait for that.
  webhook: { db: 3, publish: 1, objects: 1 },
  deployments: { db: 2, publish: 1, objects: 0 },
} satisfies Record<string, Budget>;

export const budgets: Measurement = {
  name: "budgets",
  title: "Round trips per request",
  how:
    "As the service counts them in `Server-Timing`, with the limits that other measurements disable. A whole task is " +
    "one invoke and all its queue deliveries, from the request log.",
  async run(bench) {
    const slack = await startSlack();
    const { client, service } = await bench.use({ ...LIMITS, SLACK_API_BASE_URL: slack.url });
    // The first request of each kind may take more round trips, because it opens the project.
    await client.done((await client.invoke(INSTANT)).taskId);
    const log = new ServiceLog(bench.dataDir);
    await log.untilQuiet();
    const { taskId, answer } = await client.invoke(INSTANT);
    const requests = await log.untilQuiet();
    const person = await connectSlack(service.url, slack).newPerson();
    const webhook = await person.write(INSTANT);
    await person.replied();
    // The first one asks the provider for the account, which is stored.
    await connectHosting(client);
    await requestDeployment(client);
    const deployment = await requestDeployment(client);
    const status = await client.http.request("GET", `/api/external/agent/status/${taskId}`);
    const events = await client.http.request("GET", eventsPath(taskId));
    const streamed = await client.person.events("/api/chat/stream", () => {}, {
      project_id: client.projectId,
      message: INSTANT,
    });
    const figures = [
      ...tripsOf("invoke", answer, BUDGETS.invoke),
      ...tripsOf("status", status, BUDGETS.status),
      ...tripsOf("events", events, BUDGETS.events),
      ...tripsOf("chat/stream", { headers: streamed }, BUDGETS["chat/stream"]),
      ...tripsOf("webhook", webhook, BUDGETS.webhook),
      ...tripsOf("deployments", deployment, BUDGETS.deployments),
      ...wholeTask(requests),
    ];
    await slack.close();
    return figures;
  },
};

const connectHosting = ({ person }: TaskClient) =>
  person.request("POST", "/api/deployment-credentials", {
    provider: "netlify",
    access_token: "standin_bench",
  });

const requestDeployment = ({ person, projectId }: TaskClient) =>
  person.request("POST", "/api/deployments", { project_id: projectId, provider: "netlify" });

function wholeTask(requests: readonly Trips[]): Figure[] {
  const sum = (kind: keyof Trips) => requests.reduce((total, trips) => total + trips[kind], 0);
  return [
    { what: "whole task: requests and deliveries", value: requests.length, unit: "" },
    { what: "whole task: db", value: sum("db"), unit: "" },
    { what: "whole task: publish", value: sum("publish"), unit: "" },
    { what: "whole task: objects", value: sum("objects"), unit: "" },
  ];
}
