import { command } from "../command.ts";
import { UsageError } from "../errors.ts";
import { readValue } from "../input/input.ts";
import { parseJson } from "../json.ts";
import type { Output } from "../output/output.ts";
import { openService } from "../service.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export const api = command("api", {
  description: "Send a request to the service, and print its answer",
  args: {
    method: { type: "positional", description: "GET, POST, PUT, PATCH or DELETE" },
    path: { type: "positional", description: "As /api/projects" },
    data: { type: "string", alias: "d", description: "Body: text, @file, or - for standard input" },
    header: { type: "string", alias: "H", description: "Further header, as `Name: value`" },
    quiet: { type: "boolean", alias: "q", description: "Print nothing" },
  },
  async run(context, args) {
    const method = METHODS.find((each) => each === args.method.toUpperCase());
    if (!method) throw new UsageError(`${args.method} is no method of the service`);
    if (!args.path.startsWith("/") || args.path.startsWith("//")) {
      throw new UsageError("The path begins with one slash, as /api/projects");
    }
    const { workspace } = await openService(context);
    const body = args.data === undefined ? undefined : await readValue(args.data);
    const headers = headersOf(args.header, body);
    const [path = "", query] = args.path.split("?", 2);
    const response = await workspace.response(method, encodeBraces(path), {
      headers,
      ...(body !== undefined && { body }),
      ...(query !== undefined && { query: queryOf(query) }),
    });
    if (args.quiet || !response.body) return response.body?.cancel();
    await print(context.output, response);
  },
});

/** A parameter may occur more than once. */
function queryOf(query: string): Record<string, string[]> {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}

/** JSON as it is for programs, and indented for people; everything else as it comes. */
async function print(output: Output, response: Response): Promise<void> {
  if (response.headers.get("content-type")?.includes("json")) {
    const text = await response.text();
    const answer = parseJson(text);
    if (answer === undefined) output.print(text);
    else if (output.json || !output.isTerminal) output.record(answer);
    else output.print(JSON.stringify(answer, undefined, 2));
    return;
  }
  // A stream of events has no end of its own: its pieces are shown as they come.
  for await (const piece of response.body ?? []) await output.bytes(piece);
}

/** In the client's paths, braces are parameters. */
function encodeBraces(path: string): string {
  return path.replaceAll("{", "%7B").replaceAll("}", "%7D");
}

function headersOf(given: string | undefined, body: Uint8Array | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  if (body && parseJson(new TextDecoder().decode(body)) !== undefined)
    headers["content-type"] = "application/json";
  if (given === undefined) return headers;
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/u.exec(given) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`${given} is not \`Name: value\``);
  // Credentials of arguments could be read by other programs of this machine.
  if (/^(authorization|cookie)$/iu.test(name)) throw new UsageError(`${name} is set by the sign-in`);
  return { ...headers, [name.toLowerCase()]: value };
}
