import { setTimeout as pause } from "node:timers/promises";
import { ConnectionError, Workspace, type TaskEvent } from "@agent-workspace/client";
import { verifyCallback } from "@agent-workspace/client/webhooks";
import { z } from "zod";
import { parseJson } from "#src/lib/parse-json.ts";
import { readAddresses, type Addresses } from "./addresses.ts";

/**
 * `npm run demo -- "message"`: an example of the client, from an account to a verified callback, on the service that runs on
 * DATA_DIR.
 */
const CREDENTIALS = { username: "demo", email: "demo@example.com", password: "demo demo demo" };
const CALLBACK_TIMEOUT_MS = 15_000;
const CALLBACK_POLL_MS = 200;

/** What the receiver of callbacks has got at an address. */
const Received = z.array(z.object({ headers: z.record(z.string(), z.string()), body: z.string() }));

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(message: string): Promise<void> {
  const { url: baseUrl, callbacksUrl } = findService();
  say(`Service    ${baseUrl}`);

  const person = new Workspace({ baseUrl, accessToken: await signIn(new Workspace({ baseUrl })) });
  say(`Account    ${CREDENTIALS.username}`);
  const project = await person.projects.create({ name: "Demo", source_type: "empty" });
  say(`Project    ${project.slug}`);
  const name = `demo ${new Date().toISOString()}`;
  const key = await person.keys.create({ name, project_id: project.id });
  // Only this answer has them.
  const [apiKey, secret] = [present(key.key), present(key.webhook_secret)];
  say(`Key        ${apiKey.slice(0, 8)}… for this project only`);

  const webhook = callbacksUrl && `${callbacksUrl}/demo/${project.slug}`;
  const program = new Workspace({ baseUrl, apiKey });
  const task = await program.tasks.invoke({
    project_id: project.id,
    message,
    ...(webhook && { webhook_url: webhook }),
  });
  say(`Task       ${task.id}\n`);
  for await (const event of task.events()) show(event);

  const { status, tool_calls: calls } = await task.result();
  say(`\nStatus     ${status}, ${calls} tool calls`);
  if (webhook) say(`Callback   ${await awaitCallback(webhook, secret)}`);
  await person.keys.revoke(key.id);
  say("Key        revoked");
}

function findService(): Addresses {
  try {
    return readAddresses(process.env["DATA_DIR"] ?? ".data");
  } catch {
    return fail("No service was started on DATA_DIR; run `npm start` first.");
  }
}

/** The demo's own account: created by the first run, reused by later ones. */
async function signIn(visitor: Workspace): Promise<() => string> {
  const { access_token: token } = await visitor
    .request("POST", "/api/auth/register", { body: CREDENTIALS })
    .catch((error: unknown) => {
      if (error instanceof ConnectionError)
        fail(`Nothing responds at ${visitor.baseUrl}; run \`npm start\` first.`);
      return visitor.request("POST", "/api/auth/login", { body: CREDENTIALS });
    });
  return () => present(token);
}

function present(value: string | null): string {
  return value ?? fail("The service left a secret out of its answer.");
}

/** Prints an event as a readable line. */
function show(event: TaskEvent): void {
  say(`${String(event.id).padStart(5)}  ${event.type.padEnd(13)} ${textOf(event)}`);
}

function textOf(event: TaskEvent): string {
  if (event.type === "text_delta") return event.content.replaceAll("\n", "\n".padEnd(22));
  if (event.type === "tool_start") return `${event.tool} ${JSON.stringify(event.args).slice(0, 120)}`;
  if (event.type === "tool_result") {
    const { message, error } = event.result;
    return `${event.tool}: ${[message, error].find((each) => typeof each === "string") ?? ""}`;
  }
  return event.type === "error" ? event.error : "";
}

/** Waits for the callback and checks its signature as a receiver would. */
async function awaitCallback(url: string, secret: string): Promise<string> {
  const deadline = Date.now() + CALLBACK_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const [received] = parseJson(await (await fetch(url)).text(), Received);
    if (received) {
      await verifyCallback(received.body, received.headers, secret);
      return `received by ${url}, signature verified (webhook-id ${received.headers["webhook-id"]})`;
    }
    await pause(CALLBACK_POLL_MS);
  }
  return `not received within ${CALLBACK_TIMEOUT_MS / 1000} s`;
}

function fail(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

await main(process.argv.slice(2).join(" ") || "Write a haiku to poem.txt and show it");
