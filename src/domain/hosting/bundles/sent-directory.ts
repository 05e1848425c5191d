import { AppError } from "#src/lib/errors.ts";
import { normalizeDirectory } from "#src/lib/project-path.ts";
import type { ProjectTree } from "./project-tree.ts";

/** Where build tools put what they build, and where sites without a build are kept, most likely first. */
const USUAL = ["dist", "build", "out", "public", ""];

const PAGE = "index.html";

/**
 * The directory whose files are a built site, without links in its path: the output directory that was named, or else
 * the first that has an `index.html`: the service's default, the usual ones, the project's directory itself.
 */
export function builtDirectory(
  tree: ProjectTree,
  wish: { directory: string; outputDirectory: string | null; defaultDirectory: string },
): string {
  const below = (name: string) => join(wish.directory, name);
  if (wish.outputDirectory !== null) {
    const named = normalizeDirectory(wish.outputDirectory);
    return requireDirectory(tree, below(named), `The output directory "${named}"`);
  }
  const names = [normalizeDirectory(wish.defaultDirectory), ...USUAL];
  const found = names.map(below).find((path) => tree.hasFile(join(path, PAGE)));
  if (found !== undefined) return requireDirectory(tree, found, `The directory "${found}"`);
  const searched = [...new Set(names)]
    .map((name) => (name === "" ? "the directory itself" : name))
    .join(", ");
  throw new AppError(
    "invalid_input",
    `There is no ${PAGE} to deploy in ${searched}. Build the project, name its output_directory, or let the ` +
      "provider build (deployment_mode: source)",
  );
}

/** The directory of the sources, without links in its path. */
export function sourceDirectory(tree: ProjectTree, directory: string): string {
  return requireDirectory(tree, directory, `The directory "${directory}"`);
}

function requireDirectory(tree: ProjectTree, path: string, what: string): string {
  const real = tree.resolve(path);
  if (real === undefined || (real !== "" && tree.at(real)?.kind !== "directory")) {
    throw new AppError("invalid_input", `${what} does not exist in the project, or is not a directory`);
  }
  return real;
}

function join(directory: string, name: string): string {
  return directory === "" || name === "" ? directory + name : `${directory}/${name}`;
}
