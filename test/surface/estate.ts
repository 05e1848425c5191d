import type { Account } from "#test/support/api-client.ts";
import type { TestService } from "#test/support/service.ts";
import { resolve, type Document, type JsonSchema, type Operation } from "./operations.ts";

/** Somebody with a project, a file in it, a task on it and a key for everything. */
export interface Estate {
  owner: Account;
  key: string;
  /** A value for every path parameter, query parameter and body field that cannot be made up. */
  samples: Readonly<Record<string, unknown>>;
}

const FILE = "notes/a.txt";

export async function newEstate(service: TestService, owner?: Account): Promise<Estate> {
  const person = owner ?? (await service.signUp());
  const project = await service.newProject(person.token);
  const { id, key } = await service.newKey(person.token);
  const invoked = await service.call<{ task_id: string }>("POST", "/api/external/agent/invoke", {
    token: key,
    json: { project_id: project.id, message: "Say hello" },
  });
  const file = await service.call("PUT", `/api/projects/${project.id}/files/${FILE}`, {
    token: person.token,
    json: { content: "hello" },
  });
  if (invoked.status !== 200 || file.status !== 200) {
    throw new Error(`The estate was not made: ${invoked.text} ${file.text}`);
  }
  const samples = {
    project: project.id,
    task: invoked.body.task_id,
    key: id,
    path: FILE,
    project_id: project.id,
    name: "sample",
    content: "text",
    file_path: FILE,
    dir_path: "notes/more",
    old_path: FILE,
    new_path: "notes/b.txt",
    paths: [FILE],
  };
  return { owner: person, key, samples };
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

/** The smallest body that the schema takes, with the samples where it asks for them. */
export function smallestBody(
  document: Document,
  schema: JsonSchema,
  samples: Estate["samples"],
): Record<string, unknown> {
  const { properties = {}, required = [] } = schema;
  if (typeof properties !== "object" || !Array.isArray(required)) return {};
  return Object.fromEntries(
    Object.entries(properties ?? {})
      .filter(([name]) => required.includes(name))
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
