import { sha256Hex } from "#src/lib/hash.ts";

/** Longest name of a tool that every provider takes. */
const MAX_NAME_CHARS = 64;
const HASH_CHARS = 8;

/** The prefix of all tools of MCP servers. */
export const MCP_PREFIX = "mcp__";

/** A tool and the server that has it. */
export interface NamedTool {
  serverId: string;
  /** The server's name. */
  server: string;
  tool: string;
}

/**
 * The names under which a model calls tools, in the order of the tools. Each is made of letters, digits, `_` and `-` and has at
 * most 64 characters. A name that is too long or taken ends with a hash of server and tool. The first tool keeps the plain name:
 * so a name stays the same when servers are added behind it.
 */
export function namesFor(tools: readonly NamedTool[]): string[] {
  const taken = new Set<string>();
  return tools.map((named) => {
    const plain = `${MCP_PREFIX}${named.server}__${named.tool}`.replaceAll(/[^A-Za-z0-9_-]/gu, "_");
    const fits = plain.length <= MAX_NAME_CHARS && !taken.has(plain);
    const name = fits ? plain : withHash(plain, `${named.serverId}:${named.tool}`);
    taken.add(name);
    return name;
  });
}

function withHash(name: string, identity: string): string {
  const hash = sha256Hex(identity).slice(0, HASH_CHARS);
  return `${name.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
}
