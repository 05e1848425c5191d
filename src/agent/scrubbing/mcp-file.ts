import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";
import type { Setting } from "./env-file.ts";
import { findUnknown } from "./find-unknown.ts";

/** Reads the files in which projects name MCP servers, for what may be secret in them. */

/** Most settings read from one file. */
const MAX_SETTINGS = 500;

const Texts = z.record(z.string(), z.unknown()).catch({});
const Server = z.object({ env: Texts, headers: Texts, args: z.array(z.unknown()).catch([]) });
const File = z.object({ mcpServers: z.record(z.string(), z.unknown()) });

/** Whether a file name, without its directory, is that of a file that names MCP servers. */
export function isMcpFile(name: string): boolean {
  return name === ".mcp.json";
}

/** Returns the variables and headers of all servers, and what looks secret in their arguments; nothing for malformed files. */
export function parseMcpFile(text: string): Setting[] {
  const servers = Object.values(safeParseJson(text, File)?.value.mcpServers ?? {});
  return servers
    .flatMap((server) => {
      const { env, headers, args } = Server.catch({ env: {}, headers: {}, args: [] }).parse(server);
      return settingsOf({ env: { ...headers, ...env }, args });
    })
    .slice(0, MAX_SETTINGS);
}

/** What may be secret of a program: its variables, and what looks secret in its arguments. */
export function settingsOf({
  env,
  args,
}: {
  env: Readonly<Record<string, unknown>>;
  args: readonly unknown[];
}): Setting[] {
  const variables = Object.entries(env).flatMap(([name, value]) => valuesOf(name, textOf(value)));
  const texts = args.map(textOf);
  return [...variables, ...texts.flatMap((text, at) => ofArgument(text, texts[at - 1] ?? ""))];
}

const textOf = (value: unknown) => (typeof value === "string" ? value : "");

/** A value without its scheme, and the defaults of the variables to which it refers, under their names. */
function valuesOf(name: string, text: string): Setting[] {
  const value = text.replace(/^(?:Bearer|Basic) +/iu, "");
  const defaults = Array.from(text.matchAll(/\$\{(\w+):-([^}]*)\}/gu), ([, of = "", each = ""]) => ({
    name: of,
    value: each,
  }));
  return [{ name, value }, ...defaults].filter((each) => each.value !== "");
}

/** What looks secret in an argument: `--token=…`, or a text after `--token`. */
function ofArgument(text: string, before: string): Setting[] {
  const flag = before.startsWith("-") ? `${before} ` : "";
  const line = `${flag}${text}`;
  const name = (flag === "" ? text.replace(/=.*$/su, "") : before).slice(0, 64);
  return findUnknown(line)
    .filter(({ start }) => start >= flag.length)
    .flatMap(({ start, end }) => valuesOf(name, line.slice(start, end)));
}
