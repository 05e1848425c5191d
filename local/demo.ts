import { createParser } from "eventsource-parser";
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { parseJson, safeParseJson } from "#src/lib/parse-json.ts";
import { readAddresses, type Addresses } from "./addresses.ts";

/**
 * `npm run demo -- "message"`: shows what a client does with the service, from an account to a verified callback, on
 * the service that runs on DATA_DIR.
 */
const CREDENTIALS = { username: "demo", email: "demo@example.com", password: "demo demo demo" };
const CALLBACK_TIMEOUT_MS = 15_000;

const Token = z.object({ access_token: z.string() });
const Key = z.object({ id: z.string(), key: z.string(), webhook_secret: z.string() });
const Project = z.object({ id: z.string(), slug: z.string() });
const Invoked = z.object({ task_id: z.string(), events_url: z.string() });
const Event = z
  .object({
    type: z.string(),
    content: z.string(),
    tool: z.string(),
    args: z.record(z.string(), z.unknown()),
    result: z.object({ success: z.boolean(), message: z.string(), error: z.string() }).partial().loose(),
    error: z.string(),
  })
  .partial();
const Status = z.object({ status: z.string(), response: z.string().nullable(), tool_calls: z.number() });
const Received = z.array(z.object({ headers: z.record(z.string(), z.string()), body: z.string() }));

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(message: string): Promise<void> {
  const service = findService();
  const call = caller(service.url);
  say(`Service    ${service.url}`);

  const token = await signIn(call);
  say(`Account    ${CREDENTIALS.username}`);
  const project = await call("POST", "/api/projects", Project, token, { name: "Demo", source_type: "empty" });
  say(`Project    ${project.slug}`);
  const name = `demo ${new Date().toISOString()}`;
  const key = await call("POST", "/api/external-api-keys", Key, token, { name, project_id: project.id });
  say(`Key        ${key.key.slice(0, 8)}… for this project only`);

  const webhook = service.callbacksUrl && `${service.callbacksUrl}/demo/${project.slug}`;
  const task = await call("POST", "/api/external/agent/invoke", Invoked, key.key, {
    project_id: project.id,
    message,
    ...(webhook && { webhook_url: webhook }),
  });
  say(`Task       ${task.task_id}\n`);
  await follow(`${service.url}${task.events_url}`, key.key);

  const status = await call("GET", `/api/external/agent/status/${task.task_id}`, Status, key.key);
  say(`\nStatus     ${status.status}, ${status.tool_calls} tool calls`);
  if (webhook) say(`Callback   ${await awaitCallback(webhook, key.webhook_secret)}`);
  await call("DELETE", `/api/external-api-keys/${key.id}`, z.unknown(), token);
  say("Key        revoked");
}

function findService(): Addresses {
  try {
    return readAddresses(process.env["DATA_DIR"] ?? ".data");
  } catch {
    return fail("No service was started on DATA_DIR; run `npm start` first.");
  }
}

type Call = <T>(
  method: string,
  path: string,
  schema: z.ZodType<T>,
  token?: string,
  body?: unknown,
) => Promise<T>;

function caller(url: string): Call {
  return async (method, path, schema, token, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    }).catch(() => fail(`Nothing responds at ${url}; run \`npm start\` first.`));
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return parseJson(text, schema);
  };
}

/** The demo's own account: created by the first run, reused by later ones. */
async function signIn(call: Call): Promise<string> {
  const { access_token: token } = await call(
    "POST",
    "/api/auth/register",
    Token,
    undefined,
    CREDENTIALS,
  ).catch(() => call("POST", "/api/auth/login", Token, undefined, CREDENTIALS));
  return token;
}

/** Prints the live stream as readable lines. */
async function follow(url: string, key: string): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  if (!response.ok || !response.body) throw new Error(`The event stream returned ${response.status}`);
  const parser = createParser({
    onEvent: ({ id, data }) => {
      const event = safeParseJson(data, Event)?.value;
      if (event) show(id ?? "", event);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body) parser.feed(decoder.decode(chunk, { stream: true }));
}

function show(id: string, { type = "", ...event }: z.infer<typeof Event>): void {
  const line = (text: string) => say(`${id.padStart(5)}  ${type.padEnd(13)} ${text}`);
  switch (type) {
    case "text_delta":
      return line((event.content ?? "").replaceAll("\n", "\n".padEnd(22)));
    case "tool_start":
      return line(`${event.tool} ${JSON.stringify(event.args).slice(0, 120)}`);
    case "tool_result":
      return line(`${event.tool}: ${event.result?.message ?? event.result?.error ?? ""}`);
    case "error":
      return line(event.error ?? "");
    default:
      return line("");
  }
}

/** Waits for the callback and checks its signature as a receiver would. */
async function awaitCallback(url: string, secret: string): Promise<string> {
  const deadline = Date.now() + CALLBACK_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const [received] = parseJson(await (await fetch(url)).text(), Received);
    if (received) {
      new Webhook(secret).verify(received.body, received.headers);
      return `received by ${url}, signature verified (webhook-id ${received.headers["webhook-id"]})`;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return `not received within ${CALLBACK_TIMEOUT_MS / 1000} s`;
}

function fail(line: string): never {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

await main(process.argv.slice(2).join(" ") || "Write a haiku to poem.txt and show it");
