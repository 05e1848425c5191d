import { AppError } from "#src/lib/errors.ts";
import { IgnoreRules } from "#src/lib/ignore-rules.ts";
import type { ProjectStorage } from "#src/platform/runtime/project-storage.ts";
import type { ProjectTree } from "./project-tree.ts";

const NAME = ".deployignore";
const MAX_BYTES = 64 * 1024;

/**
 * Reads the rules of a deployment: the `.deployignore` of its directory, in the form of `.gitignore`. Undefined without one.
 * Throws `invalid_input` for one that is too large.
 */
export async function deployRules(
  runtime: Pick<ProjectStorage, "readEntries">,
  tree: ProjectTree,
  directory: string,
): Promise<IgnoreRules | undefined> {
  const path = directory === "" ? NAME : `${directory}/${NAME}`;
  const found = tree.at(path);
  if (found?.kind !== "file") return undefined;
  if (found.size > MAX_BYTES) {
    throw new AppError(
      "invalid_input",
      `"${path}" has ${found.size} bytes; it may have at most ${MAX_BYTES}`,
    );
  }
  const decoder = new TextDecoder();
  let text = "";
  for await (const { content } of await runtime.readEntries([path])) {
    for await (const chunk of content) text += decoder.decode(chunk, { stream: true });
  }
  const rules = new IgnoreRules();
  rules.add(directory, text);
  return rules;
}
