import { setTimeout as pause } from "node:timers/promises";
import type { Account, ApiClient } from "#test/support/api-client.ts";
import { beginAgent } from "../../begin-agent.ts";

const POLL_MS = 200;
/** Ends a wait that hangs. */
const HANGS_MS = 120_000;

/** A person of the service, who fills it. A refusal is thrown. */
export interface Person {
  readonly account: Account;
  ask<T = unknown>(method: string, path: string, json?: unknown): Promise<T>;
  /** Asks an agent, and does not wait for what comes of it. */
  begin(message: object): Promise<void>;
  write(project: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** Asks until the answer is as it should be. */
  until<T>(path: string, isSo: (found: T) => boolean): Promise<T>;
}

export async function newPerson(service: ApiClient, name: string, shown: string): Promise<Person> {
  const form = { username: name, email: `${name}@garden.example`, password: "correct horse" };
  const made = await service.call<{ id: string; access_token: string }>("POST", "/api/auth/register", {
    json: form,
  });
  if (made.status >= 300) throw new Error(`${name} could not sign up: ${made.text}`);
  const { id, access_token: token } = made.body;
  const ask: Person["ask"] = async <T>(method: string, path: string, json?: unknown) => {
    const { status, text, body } = await service.call<T>(method, path, {
      token,
      ...(json !== undefined && { json }),
    });
    if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`);
    return body;
  };
  await ask("PATCH", "/api/users/me", { name: shown });
  return {
    account: { ...form, id, token },
    ask,
    begin: (message) => beginAgent(service.url, token, message),
    async write(project, files) {
      for (const [path, content] of Object.entries(files)) {
        await ask("PUT", `/api/projects/${project}/files/${path}`, { content });
      }
    },
    async until<T>(path: string, isSo: (found: T) => boolean) {
      const end = Date.now() + HANGS_MS;
      for (;;) {
        const found = await ask<T>("GET", path);
        if (isSo(found)) return found;
        if (Date.now() > end) throw new Error(`GET ${path} stays ${JSON.stringify(found)}`);
        await pause(POLL_MS);
      }
    },
  };
}
