import type { ApiClient } from "#test/support/api-client.ts";
import { HOSTILE_FILES } from "./hostile-commands.ts";

/** How a command ended, and after how many milliseconds. */
export interface Ran {
  status: number;
  exitCode: number | null;
  stdout: string;
  stderr: string;
  ms: number;
}

/** A project of a person of its own, and a way to run commands there. */
export interface CommandProject {
  run(command: string, timeoutSeconds: number): Promise<Ran>;
}

/** With the files that these hostile commands read. */
export async function openHostileProject(api: ApiClient, commands: string): Promise<CommandProject> {
  const { token, id, run } = await openCommandProject(api);
  const read = Object.entries(HOSTILE_FILES).filter(([name]) => commands.includes(name));
  for (const [name, content] of read) {
    const { status } = await api.call("PUT", `/api/projects/${id}/files/raw?path=${name}`, {
      token,
      body: content(),
      headers: { "content-type": "application/octet-stream" },
    });
    if (status >= 300) throw new Error(`PUT ${name} answered ${status}`);
  }
  return { run };
}

export async function openCommandProject(api: ApiClient) {
  const { token } = await api.signUp();
  const { id } = await api.newProject(token);
  const run = async (command: string, timeout: number): Promise<Ran> => {
    const started = performance.now();
    const { status, body } = await api.call<{ exit_code: number | null; stdout: string; stderr: string }>(
      "POST",
      "/api/agent/execute",
      { token, json: { project_id: id, command, timeout } },
    );
    const { exit_code: exitCode, stdout, stderr } = body;
    return { status, exitCode, stdout, stderr, ms: performance.now() - started };
  };
  return { token, id, run };
}
