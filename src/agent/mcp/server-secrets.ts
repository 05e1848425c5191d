import { openHeaders, secretValues, type ServerOfTask } from "#src/domain/agent-work/mcp/index.ts";
import type { Secrets } from "#src/platform/secrets/secrets.ts";
import type { KnownSecret } from "../scrubbing/placement.ts";

/** Tokens and headers of a task's servers, which no output may show. Those that cannot be decrypted are never sent either. */
export async function serverSecrets(
  deps: { secrets: Pick<Secrets, "decrypt"> },
  servers: readonly ServerOfTask[],
): Promise<KnownSecret[]> {
  const known = await Promise.all(
    servers.map(async ({ name, url, encryptedHeaders }) => {
      const headers = await openHeaders(deps, encryptedHeaders).catch(() => ({}));
      return secretValues(headers, url).map((value) => ({
        name: `MCP server ${name}`,
        value,
        declared: true,
      }));
    }),
  );
  return known.flat();
}
