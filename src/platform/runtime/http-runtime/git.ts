import type { GitOperations } from "#src/git/protocol.ts";
import { AppError } from "#src/lib/errors.ts";
import { parseJson } from "#src/lib/parse-json.ts";
import type { ProjectGit } from "../project-git.ts";
import { GitLine } from "./protocol.ts";

/**
 * Git operations of a workspace server: each response is a stream of lines with progress, and the outcome as the last
 * line.
 */
export function gitOver(
  call: (method: string, path: string, init: RequestInit) => Promise<Response>,
): ProjectGit["git"] {
  return async function git<Name extends keyof GitOperations>(
    name: Name,
    input: GitOperations[Name]["input"],
    { signal, onProgress }: Parameters<ProjectGit["git"]>[2] = {},
  ): Promise<GitOperations[Name]["output"]> {
    signal?.throwIfAborted();
    const response = await call("POST", `/git/${name}`, {
      body: JSON.stringify({ input }),
      headers: { "content-type": "application/json" },
      ...(signal && { signal }),
    });
    for await (const text of linesOf(response)) {
      const line = parseJson(text, GitLine);
      if ("progress" in line) onProgress?.(line.progress);
      else if (line.ok) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one program, `src/git`, wrote it with this type
        return line.value as GitOperations[Name]["output"];
      } else throw new AppError(line.code, line.message);
    }
    signal?.throwIfAborted();
    throw new AppError("unavailable", "The git operation broke off; try again");
  };
}

/** Yields the lines of a response; a stream that breaks off just ends, without its last line. */
async function* linesOf(response: Response): AsyncGenerator<string, undefined> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }) as const);
      if (done || value === undefined) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      yield* lines.filter((line) => line !== "");
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
