import { AppError } from "#src/lib/errors.ts";
import type { ProjectGit } from "../project-git.ts";

const BESIDE_PROGRAMS =
  "This service runs git beside the project's programs, which could read your credentials from its memory, so it " +
  "sends none there:";
const CANNOT_READ = `${BESIDE_PROGRAMS} only public repositories can be cloned and pulled. Or there is no such repository`;
const CANNOT_PUSH = `${BESIDE_PROGRAMS} nothing can be pushed. Push from a terminal with a token of your own, or export the files`;

/**
 * Git of a runtime whose programs can read the memory of the git process, so that no credentials are sent there. Throws
 * `forbidden` for a push, which needs them at every host, and for a remote that requires them.
 */
export function gitWithoutCredentials(inside: ProjectGit): ProjectGit["git"] {
  return async (name, input, options) => {
    if (name === "push") throw new AppError("forbidden", CANNOT_PUSH);
    try {
      return await inside.git(name, withoutCredentials(input), options);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unauthenticated") throw error;
      throw new AppError("forbidden", CANNOT_READ, { cause: error });
    }
  };
}

/** Returns any operation's input with nothing of its remote but the address. */
function withoutCredentials<T extends object>(input: T): T {
  if (!("remote" in input)) return input;
  const { remote } = input;
  const url = typeof remote === "object" && remote !== null && "url" in remote ? remote.url : undefined;
  return { ...input, remote: { url } };
}
