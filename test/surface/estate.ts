import { z } from "zod";
import type { Account, ApiRequest } from "#test/support/api-client.ts";
import type { TestService } from "#test/support/service.ts";
import { bodySchemaOf, resolve, type Document, type JsonSchema, type Operation } from "./operations.ts";

/** Somebody with a project, a file in it, a task on it and a key for everything. */
export interface Estate {
  owner: Account;
  key: string;
  /** A value for every path parameter, query parameter and body field that cannot be made up. */
  samples: Readonly<Record<string, unknown>>;
}

/** An estate with somebody in the owner's team who may only look. */
export interface SharedEstate extends Estate {
  viewer: Account;
}

const FILE = "notes/a.txt";
const Made = z.looseObject({ id: z.string() });
const Invitation = z.looseObject({ id: z.string(), invite_url: z.string() });

/** As `service.call`, where anything but success is a broken test. */
async function ask<T extends z.ZodType>(
  service: TestService,
  [method, path]: [method: string, path: string],
  request: ApiRequest,
  schema: T,
): Promise<z.output<T>> {
  const { status, text, body } = await service.call(method, path, request);
  if (status >= 300) {
    throw new Error(`The estate was not made: ${method} ${path} answered ${status}: ${text}`);
  }
  return schema.parse(body);
}

/** An estate that has what an operation names. */
export async function estateFor(service: TestService, { template }: Operation): Promise<Estate> {
  const namesPeople = /\{(user|invitation|token)\}|\/members/u.test(template);
  return namesPeople ? newSharedEstate(service) : newEstate(service);
}

export async function newEstate(service: TestService): Promise<Estate> {
  const owner = await service.signUp();
  const { token } = owner;
  const project = await service.newProject(token);
  const { id: keyId, key } = await service.newKey(token);
  const message = { project_id: project.id, message: "Say hello" };
  const Invoked = z.object({ task_id: z.string() });
  const pair = { device_name: "laptop" };
  const Device = z.looseObject({ device_id: z.string() });
  const [{ task_id }, , device, [team], [session]] = await Promise.all([
    ask(service, ["POST", "/api/external/agent/invoke"], { token: key, json: message }, Invoked),
    ask(
      service,
      ["PUT", `/api/projects/${project.id}/files/${FILE}`],
      { token, json: { content: "hello" } },
      z.unknown(),
    ),
    ask(service, ["POST", "/api/desktop/pair/complete"], { token, json: pair }, Device),
    ask(service, ["GET", "/api/teams"], { token }, z.array(z.looseObject({ slug: z.string() }))),
    ask(service, ["GET", "/api/auth/sessions"], { token }, z.array(Made)),
  ]);
  const samples = {
    project: project.id,
    task: task_id,
    key: keyId,
    path: FILE,
    team: team?.slug,
    slug: team?.slug,
    device: device.device_id,
    session: session?.id,
    provider: "github",
    script: "login.js",
    project_id: project.id,
    name: "sample",
    content: "text",
    file_path: FILE,
    dir_path: "notes/more",
    old_path: FILE,
    new_path: "notes/b.txt",
    paths: [FILE],
    role: "viewer",
    email: "somebody@example.com",
    password: "correct horse",
    handle: `handle-${crypto.randomUUID().slice(0, 8)}`,
  };
  return { owner, key, samples };
}

export async function newSharedEstate(service: TestService): Promise<SharedEstate> {
  const [estate, viewer] = await Promise.all([newEstate(service), service.signUp("viewer")]);
  const { token } = estate.owner;
  const { team, project } = estate.samples;
  const newLink = () =>
    ask(
      service,
      ["POST", `/api/teams/${String(team)}/members/link`],
      { token, json: { role: "viewer" } },
      Invitation,
    );
  const [link, open] = [await newLink(), await newLink()];
  await ask(
    service,
    ["POST", `/api/teams/invitations/${tokenIn(link.invite_url)}/accept`],
    { token: viewer.token },
    z.unknown(),
  );
  await ask(
    service,
    ["POST", `/api/projects/${String(project)}/members`],
    { token, json: { user_id: viewer.id, role: "viewer" } },
    z.unknown(),
  );
  const people = {
    user: viewer.id,
    user_id: viewer.id,
    invitation: open.id,
    token: tokenIn(open.invite_url),
  };
  return { ...estate, viewer, samples: { ...estate.samples, ...people } };
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
};

/** The smallest body that the operation takes, with the samples where it asks for them; `undefined` for none. */
export function smallestBody(
  document: Document,
  operation: Operation,
  samples: Estate["samples"],
): Record<string, unknown> | undefined {
  const schema = bodySchemaOf(document, operation);
  if (!schema) return undefined;
  const { properties = {}, required = [] } = schema;
  if (typeof properties !== "object" || !Array.isArray(required)) return {};
  return Object.fromEntries(
    Object.entries(properties ?? {})
      .filter(([name]) => required.includes(name) || ONE_OF[operation.name]?.includes(name))
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
