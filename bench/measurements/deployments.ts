import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { apiClient, type ApiClient } from "#test/support/api-client.ts";
import { HttpClient } from "../http-client.ts";
import type { Figure, Measurement } from "../measurement.ts";
import { p50, p95, timed } from "../statistics.ts";
import { tripsOf } from "../trips.ts";

const FILES = 200;
const AT_ONCE = 50;
const ROUNDS = 20;
const POLL_MS = 50;
/** Ends a wait for what never comes. */
const NEVER_MS = 300_000;

const Deployment = z.object({ id: z.string(), status: z.string(), error: z.string().nullable() });

export const deployments: Measurement = {
  name: "deployments",
  title: "Deployments to the stand-in for Netlify",
  how:
    "On the embedded runtime; the provider is asked every second. Acknowledgement: POST /api/deployments, one after the other, " +
    `each when the one before is over. ${FILES} files: from the request until the site is live. ${AT_ONCE} at once: as many projects, ` +
    "from the first request until the last site is live.",
  async run(bench) {
    const { service } = await bench.use({ DEPLOYMENT_POLL_SECONDS: "1", USER_RATE_PER_MINUTE: "0" });
    const api = apiClient(service.url);
    const { token } = await api.signUp("bench");
    const http = new HttpClient(service.url, token);
    try {
      await http.request("POST", "/api/deployment-credentials", {
        provider: "netlify",
        access_token: "standin_bench",
      });
      return [
        ...(await acknowledged(http, await newSite(api, token, 1))),
        ...(await live(http, await newSite(api, token, FILES))),
        ...(await together(http, api, token)),
      ];
    } finally {
      http.close();
    }
  },
};

async function newSite(api: ApiClient, token: string, files: number): Promise<string> {
  const { id } = await api.newProject(token);
  for (let n = 0; n < files; n += 1) {
    const json = { content: `<p>${String(n).repeat(500)}</p>` };
    await api.call("PUT", `/api/projects/${id}/files/${n === 0 ? "index" : n}.html`, { token, json });
  }
  return id;
}

const request = (http: HttpClient, projectId: string) =>
  http.request("POST", "/api/deployments", { project_id: projectId, provider: "netlify" });

async function acknowledged(http: HttpClient, projectId: string): Promise<Figure[]> {
  const times: number[] = [];
  // The first one asks the provider for the account, once for each credential.
  let answer = await request(http, projectId);
  await untilLive(http, answer.body);
  for (let round = 0; round < ROUNDS; round += 1) {
    times.push(
      await timed(async () => {
        answer = await request(http, projectId);
      }),
    );
    await untilLive(http, answer.body);
  }
  return [
    { what: "acknowledgement, p50", value: p50(times), unit: "ms" },
    { what: "acknowledgement, p95", value: p95(times), unit: "ms" },
    ...tripsOf("acknowledgement", answer, { db: 2, publish: 1, objects: 1 }),
  ];
}

async function live(http: HttpClient, projectId: string): Promise<Figure[]> {
  const ms = await timed(async () => untilLive(http, (await request(http, projectId)).body));
  return [{ what: `${FILES} files to live`, value: ms / 1000, unit: "s" }];
}

async function together(http: HttpClient, api: ApiClient, token: string): Promise<Figure[]> {
  const projects: string[] = [];
  while (projects.length < AT_ONCE) projects.push(await newSite(api, token, 1));
  const ms = await timed(() =>
    Promise.all(projects.map(async (id) => untilLive(http, (await request(http, id)).body))),
  );
  return [{ what: `${AT_ONCE} deployments at once, to the last one live`, value: ms / 1000, unit: "s" }];
}

async function untilLive(http: HttpClient, body: string): Promise<void> {
  const { id } = parseJson(body, Deployment);
  const until = Date.now() + NEVER_MS;
  while (Date.now() < until) {
    const now = parseJson((await http.request("GET", `/api/deployments/${id}`)).body, Deployment);
    if (now.status === "success") return;
    if (now.status === "failed") throw new Error(`It failed: ${now.error}`);
    await pause(POLL_MS);
  }
  throw new Error("A deployment did not end");
}
