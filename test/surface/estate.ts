import { z } from "zod";
import { openApprovals } from "#src/domain/agent-work/approvals/index.ts";
import type { Account } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { failedMessage, pairingCode } from "#test/support/channels.ts";
import { newRawClient } from "#test/support/oauth-client.ts";
import { passkeyOver } from "#test/support/passkeys.ts";
import type { SharedService } from "#test/support/shared-service.ts";
import { setTier } from "#test/support/tiers.ts";
import { ask, Made } from "./ask.ts";
import { formWithFile } from "./form-with-file.ts";
import { FILE, FIXED_SAMPLES } from "./fixed-samples.ts";
import { withDeployment, withHostingCredential } from "./hosting-parts.ts";
import { withArchives, withBackgroundTask, withRepository, withShell } from "./project-parts.ts";
import { bodySchemaOf, resolve, type Document, type JsonSchema, type Operation } from "./operations.ts";

export type Samples = Readonly<Record<string, unknown>>;

/** A person with a project, a file in it, a task on it and a key for everything. */
export interface Estate {
  owner: Account;
  key: string;
  /** A value for every path parameter, query parameter and body field that cannot be made up. */
  samples: Samples;
}

/** An estate with a viewer in the owner's team. */
export interface SharedEstate extends Estate {
  viewer: Account;
}

const MCP_URL = "https://mcp.invalid/mcp";

const Invitation = z.looseObject({ id: z.string(), invite_url: z.string() });

/** Optional parts of an estate, by the path parameters that need them. */
const PARTS: readonly [named: RegExp, add: (service: SharedService, estate: Estate) => Promise<Estate>][] = [
  [/\{task\}/u, withTask],
  [/\{background_task\}/u, withBackgroundTask],
  [/\/git\//u, withRepository],
  [/\{(hash|base)\}/u, withArchives],
  [/\/shell\//u, withShell],
  [/\/(containers|browser-previews|dev-server-url)/u, withContainers],
  [/\{chat\}|\/chat\/agent\/(approval|force-cancel)/u, withChat],
  [/\{(channel|config_id|identity)\}|\/gateway\/pair\//u, withChannel],
  [/\{schedule_id\}/u, withSchedule],
  [/\{mcp_server\}/u, withMcpServer],
  [/\{passkey\}/u, withPasskey],
  [/\{deployment_credential\}|^\/api\/deployments(\/\{project\}\/.*deploy)?$/u, withHostingCredential],
  [/\{deployment\}/u, withDeployment],
  [/^\/api\/secrets\/|\{(agent|added_model)\}|\/marketplace\/purchase$/u, withModels],
  [/\{(user|invitation|token)\}|\/members/u, withViewer],
];

/** Operations on what belongs to a project: they leave its owner as they found them. */
const ON_PROJECTS =
  /^\/api\/(projects|tasks|shell|terminal|agent|git|bases|chat|chats|external|v1\/agents)(\/|$)/u;

/**
 * Returns the estate for an operation, with what it names. Operations that only read share one, those on projects their
 * owner; every other one gets people of its own.
 */
export function estatesOf(service: SharedService): (operation: Operation) => Promise<Estate> {
  let everything: Promise<Estate> | undefined;
  let repository: Promise<Estate> | undefined;
  let owner: Promise<Estate> | undefined;
  const newRepository = async () =>
    withRepository(service, await withProject(service, await newPerson(service)));
  return async ({ method, template }) => {
    const ofGit = template.includes("/git/");
    if (method === "GET" && ofGit) return (repository ??= newRepository());
    if (method === "GET") return (everything ??= newSharedEstate(service));
    const named = PARTS.filter(([pattern]) => pattern.test(template));
    const sharesOwner = ON_PROJECTS.test(template) && !named.some(([, add]) => add === withViewer);
    let estate = await (sharesOwner ? (owner ??= newPerson(service)) : newPerson(service));
    estate = await withProject(service, estate);
    for (const [, add] of named) estate = await add(service, estate);
    return estate;
  };
}

/** Posts as the estate's owner. */
const posting =
  (service: SharedService, { owner: { token } }: Estate) =>
  <T extends z.ZodType>(path: string, json: object, schema: T) =>
    ask(service, ["POST", path], { token, json }, schema);

/** The estate with two containers, of which the second uses the first, and a browser window. */
async function withContainers<E extends Estate>(service: SharedService, estate: E): Promise<E> {
  const project = `/api/projects/${String(estate.samples["project"])}`;
  const post = posting(service, estate);
  const Container = z.object({ container: Made });
  const newContainer = (name: string) =>
    post(`${project}/containers`, { name, env_vars: { SAMPLE: "value" } }, Container);
  const [api, web] = [(await newContainer("api")).container.id, (await newContainer("web")).container.id];
  const uses = { source_container_id: web, target_container_id: api };
  const [connection, preview] = await Promise.all([
    post(`${project}/containers/connections`, uses, Made),
    post(`${project}/browser-previews`, {}, Made),
  ]);
  const samples = {
    container: api,
    variable: "SAMPLE",
    connection: connection.id,
    preview: preview.id,
    source_container_id: api,
    target_container_id: web,
  };
  return { ...estate, samples: { ...estate.samples, ...samples } };
}

/** A person with a key, a device and a team. */
async function newPerson(service: SharedService): Promise<Estate> {
  const owner = await service.signUp();
  const { token } = owner;
  const pair = { device_name: "laptop" };
  const Device = z.looseObject({ device_id: z.string() });
  const [{ id: keyId, key }, device, [team], [session]] = await Promise.all([
    service.newKey(token),
    ask(service, ["POST", "/api/desktop/pair/complete"], { token, json: pair }, Device),
    ask(service, ["GET", "/api/teams"], { token }, z.array(z.looseObject({ slug: z.string() }))),
    ask(service, ["GET", "/api/auth/sessions"], { token }, z.array(Made)),
  ]);
  const samples = {
    ...(await appsOf(service, token)),
    key: keyId,
    path: FILE,
    team: team?.slug,
    slug: team?.slug,
    device: device.device_id,
    session: session?.id,
    ...FIXED_SAMPLES,
    role: "viewer",
    email: "somebody@example.com",
    password: "correct horse",
    creator: owner.id,
    creator_name: owner.username,
    handle: `handle-${crypto.randomUUID().slice(0, 8)}`,
  };
  return { owner, key, samples };
}

/** A connected app of a person, and one that asks. */
async function appsOf(service: SharedService, token: string) {
  const client = await newRawClient(service);
  const requests = "/api/auth/connected-apps/requests";
  const json = Object.fromEntries(client.asking());
  const Opened = z.object({ request: Made });
  const open = async () => (await ask(service, ["POST", requests], { token, json }, Opened)).request.id;
  const [allowed, waiting] = [await open(), await open()];
  const decision = { decision: "allow", scopes: ["file.read"] };
  const Decided = z.object({ redirect_to: z.url() });
  const path = `${requests}/${allowed}/decide`;
  const { redirect_to: back } = await ask(service, ["POST", path], { token, json: decision }, Decided);
  await client.exchange(new URL(back).searchParams.get("code") ?? "");
  const [app] = await ask(service, ["GET", "/api/auth/connected-apps"], { token }, z.array(Made));
  return { connected_app: app?.id, app_request: waiting };
}

/** The estate with a new project that has a file. */
async function withProject<E extends Estate>(service: SharedService, estate: E): Promise<E> {
  const { token } = estate.owner;
  const { id } = await service.newProject(token);
  const file = { content: "hello" };
  await ask(service, ["PUT", `/api/projects/${id}/files/${FILE}`], { token, json: file }, z.unknown());
  return { ...estate, samples: { ...estate.samples, project: id, project_id: id } };
}

/** The estate with a task of the agent on the project. */
async function withTask<E extends Estate>(service: SharedService, estate: E): Promise<E> {
  const json = { project_id: estate.samples["project"], message: "Say hello" };
  const Invoked = z.object({ task_id: z.string() });
  const invoke: [string, string] = ["POST", "/api/external/agent/invoke"];
  const { task_id } = await ask(service, invoke, { token: estate.key, json }, Invoked);
  return { ...estate, samples: { ...estate.samples, task: task_id, step: "1" } };
}

/** The estate with a viewer of its team and its project, and an open invitation. */
async function withViewer<E extends Estate>(service: SharedService, estate: E): Promise<E & SharedEstate> {
  const { team, project } = estate.samples;
  const post = posting(service, estate);
  const viewer = await service.signUp("viewer");
  const newLink = () => post(`/api/teams/${String(team)}/members/link`, { role: "viewer" }, Invitation);
  const [link, open] = [await newLink(), await newLink()];
  const accept = `/api/teams/invitations/${tokenIn(link.invite_url)}/accept`;
  await ask(service, ["POST", accept], { token: viewer.token }, z.unknown());
  const member = { user_id: viewer.id, role: "viewer" };
  await post(`/api/projects/${String(project)}/members`, member, z.unknown());
  const people = {
    user: viewer.id,
    user_id: viewer.id,
    invitation: open.id,
    token: tokenIn(open.invite_url),
  };
  return { ...estate, viewer, samples: { ...estate.samples, ...people } };
}

/**
 * The estate with two chats of the owner's about the project: in one of them a file is uploaded, and the agent waits for an
 * approval in the other one.
 */
async function withChat<E extends Estate>(service: SharedService, estate: E): Promise<E> {
  const project_id = String(estate.samples["project"]);
  const post = posting(service, estate);
  const asking = await post("/api/chat", { project_id }, Made);
  const script = [{ tools: [{ name: "bash_exec", arguments: { command: "true" } }] }];
  const message = `\`\`\`demo\n${JSON.stringify(script)}\n\`\`\``;
  const wish = { project_id, message, chat_id: asking.id, edit_mode: "ask" };
  await post("/api/chat/agent", wish, z.looseObject({ task_id: z.string() }));
  const [question] = await openApprovals(databaseOf(service), { projectId: project_id, chatId: asking.id });
  const chat = await post("/api/chat", { project_id }, Made);
  const Uploaded = z.looseObject({ attachment_id: z.string() });
  const upload: [string, string] = ["POST", `/api/chats/${chat.id}/attachments`];
  const file = { token: estate.owner.token, ...formWithFile() };
  const { attachment_id } = await ask(service, upload, file, Uploaded);
  const samples = {
    chat: chat.id,
    chat_id: asking.id,
    attachment: attachment_id,
    approval: question?.approval.id,
    approval_id: question?.approval.id,
    response: "stop",
  };
  return { ...estate, samples: { ...estate.samples, ...samples } };
}

/** The estate whose owner has a key of a model provider, a provider and a model of their own, and an agent in the team. */
async function withModels<E extends Estate>(service: SharedService, estate: E): Promise<E> {
  await setTier(databaseOf(service), estate.owner.id, "pro");
  const post = posting(service, estate);
  const base_url = estate.samples["base_url"];
  const [key, provider, added, agent] = await Promise.all([
    post(
      "/api/secrets/api-keys",
      { provider: "openai", api_key: "sk-sample-0123456789", base_url },
      z.object({ key_id: z.string() }),
    ),
    post(
      "/api/secrets/providers/custom",
      { name: "Own", slug: "own", base_url },
      z.object({ provider_id: z.string() }),
    ),
    post(
      "/api/marketplace/models/custom",
      { model_id: "vendor/sample", model_name: "Sample" },
      z.object({ model: z.object({ custom_id: z.string() }) }),
    ),
    post("/api/agents", { name: "Sample" }, Made),
  ]);
  const samples = {
    model_key: key.key_id,
    model_provider: provider.provider_id,
    added_model: added.model.custom_id,
    agent: agent.id,
    item_id: agent.id,
    model: "openai/sample",
    platform_model: "demo",
  };
  return { ...estate, samples: { ...estate.samples, ...samples } };
}

/** The estate whose owner has a channel, and an account on a platform that is linked. */
async function withChannel<E extends Estate>(service: SharedService, estate: E): Promise<E> {
  const { token } = estate.owner;
  const post = posting(service, estate);
  const wish = { channel_type: "cli", project_id: estate.samples["project"] };
  const { id } = await post("/api/channels", wish, Made);
  const pairing_code = await pairingCode(service, id);
  await post("/api/gateway/pair/verify", { platform: "telegram", pairing_code }, z.unknown());
  const identities: [string, string] = ["GET", "/api/gateway/identities"];
  const [identity] = await ask(service, identities, { token }, z.array(Made));
  const channel_message = await failedMessage(service, id);
  const samples = {
    channel: id,
    channel_message,
    config_id: id,
    type: "cli",
    identity: identity?.id,
    jid: "self",
  };
  return { ...estate, samples: { ...estate.samples, ...samples } };
}

/** The estate with a schedule of the owner's in the project. */
async function withSchedule<E extends Estate>(service: SharedService, estate: E): Promise<E> {
  const { project_id, schedule, prompt } = estate.samples;
  const wish = { project_id, schedule, prompt, name: "sample" };
  const { id } = await posting(service, estate)("/api/schedules", wish, Made);
  return { ...estate, samples: { ...estate.samples, schedule_id: id } };
}

/** The estate with an MCP server of the project, which nobody answers. */
async function withMcpServer<E extends Estate>(service: SharedService, estate: E): Promise<E> {
  const { project_id } = estate.samples;
  const wish = { name: "sample", url: MCP_URL, scope: "project", project_id };
  const { id } = await posting(service, estate)("/api/mcp/servers", wish, Made);
  return { ...estate, samples: { ...estate.samples, mcp_server: id } };
}

/** The estate whose owner has a passkey. */
async function withPasskey<E extends Estate>(service: SharedService, estate: E): Promise<E> {
  const { id } = await passkeyOver(service, estate.owner.token);
  return { ...estate, samples: { ...estate.samples, passkey: id } };
}

export async function newEstate(service: SharedService): Promise<Estate> {
  return withTask(service, await withProject(service, await newPerson(service)));
}

/** An estate with everything that an operation can name, and a viewer of it. */
export async function newSharedEstate(service: SharedService): Promise<SharedEstate> {
  let estate = await newEstate(service);
  const parts = [
    // Before the containers: it publishes the project's first one.
    withDeployment,
    withContainers,
    withArchives,
    withBackgroundTask,
    withShell,
    withChat,
    withModels,
    withChannel,
    withSchedule,
    withMcpServer,
    withPasskey,
  ];
  for (const add of parts) estate = await add(service, estate);
  return withViewer(service, estate);
}

/** The token at the end of an invitation's address. */
function tokenIn(url: string): string {
  return new URL(url).pathname.split("/").at(-1) ?? "";
}

/**
 * The path and query of a request that names what is in the samples. Throws for a path parameter without one: a new kind
 * of thing needs a sample here, so that its refusals are tested.
 */
export function addressOf(operation: Operation, samples: Estate["samples"]): string {
  const path = operation.template.replaceAll(/\{(\w+)\}/gu, (_, name: string) => {
    const sample = samples[name];
    if (typeof sample !== "string") {
      throw new Error(`${operation.name}: add a sample for the path parameter \`${name}\` to newEstate`);
    }
    return sample.split("/").map(encodeURIComponent).join("/");
  });
  const required = operation.parameters.filter((each) => each.in === "query" && each.required);
  const query = new URLSearchParams(
    required.map(({ name, schema }) => [name, String(samples[name] ?? smallest(schema))]),
  );
  return query.size > 0 ? `${path}?${query.toString()}` : path;
}

/** Fields that a body needs although its schema alone does not tell: one of them is enough. */
const ONE_OF: Record<string, readonly string[]> = {
  "POST /api/projects/{project}/members": ["user_id"],
  "POST /api/marketplace/purchase": ["item_id"],
  "POST /api/chat": ["project_id"],
  "POST /api/channels": ["channel_type"],
  "POST /api/schedules": ["schedule", "prompt"],
  "POST /api/deployment-credentials": ["access_token", "project_id"],
  "POST /api/chat/agent": ["project_id", "message"],
  "POST /api/chat/agent/stream": ["project_id", "message"],
};

/** Fields by the name of another sample: here a provider is one of hosting. */
const OTHERS: Record<string, Samples> = {
  "POST /api/mcp/servers": { url: MCP_URL },
  "POST /api/deployments": { provider: "vercel" },
  "POST /api/deployments/{project}/deploy": { provider: "vercel" },
  "POST /api/deployments/{project}/containers/{container}/deploy": { provider: "vercel" },
};

/** The smallest body that the operation takes, with the samples where it asks for them; `undefined` for none. */
export function smallestBody(
  document: Document,
  operation: Operation,
  samples: Estate["samples"],
): Record<string, unknown> | undefined {
  const schema = bodySchemaOf(document, operation);
  const named = { ...samples, ...OTHERS[operation.name] };
  return schema && exampleOf(document, schema, named, ONE_OF[operation.name]);
}

/** The smallest object that a schema takes, with the fields `also` besides those that it needs. */
export function exampleOf(
  document: Document,
  schema: JsonSchema,
  samples: Samples,
  also: readonly string[] = [],
): Record<string, unknown> {
  const { properties = {}, required = [] } = resolve(document, schema);
  if (typeof properties !== "object" || !Array.isArray(required)) return {};
  return Object.fromEntries(
    Object.entries(properties ?? {})
      .filter(([name]) => required.includes(name) || also.includes(name))
      .map(([name, property]) => [name, samples[name] ?? smallest(resolve(document, property))]),
  );
}

function smallest({ type, enum: values, minLength }: JsonSchema): unknown {
  if (Array.isArray(values)) return values[0];
  if (type === "object") return {};
  if (type === "array") return [];
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return 1;
  return "x".repeat(Math.max(1, Number(minLength ?? 1)));
}
