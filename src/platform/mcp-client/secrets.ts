import type { McpTarget } from "./mcp-client.ts";

/** The values of headers, and each without its scheme. */
export function secretsOf(headers: McpTarget["headers"]): string[] {
  return Object.values(headers)
    .flatMap((value) => [value, value.replace(/^\S+ +/u, "")])
    .filter((value) => value.length >= 4);
}

/** A text of a server without the secrets that it was given: it may repeat them. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  // A secret may be a part of another one.
  const known = [...secrets].toSorted((one, other) => other.length - one.length);
  return known.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}
