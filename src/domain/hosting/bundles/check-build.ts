import { AppError } from "#src/lib/errors.ts";
import { startedPrograms } from "./shell-commands.ts";

/** Programs that a runtime without processes does not have. */
const MISSING =
  /^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg|bun|bunx|node|nodejs|corepack|deno|python[\d.]*|pip[\d.]*)$/u;

/**
 * Refuses a build command that the project's runtime cannot run: `embedded` has a shell with the usual tools, but no
 * Node and no Python. Throws `invalid_input` with the ways out.
 */
export function checkBuild(runtime: "embedded" | "host" | "sandbox", command: string | null): void {
  if (runtime !== "embedded" || command === null) return;
  const program = startedPrograms(command)
    .map(missingProgram)
    .find((name) => name !== undefined);
  if (program === undefined) return;
  throw new AppError(
    "invalid_input",
    `The build command needs ${program}, which projects of this installation do not have (PROJECT_RUNTIME=embedded). ` +
      "Either let the provider build (deployment_mode: source), or build elsewhere, put the built files into the " +
      "project and leave the build command empty, or run the service with PROJECT_RUNTIME=host",
  );
}

/** Which of the missing programs a word runs. */
function missingProgram(word: string): string | undefined {
  // Programs of npm packages are scripts for Node.
  if (/(?:^|\/)node_modules\/\.bin\//u.test(word)) return "node";
  const name = word.slice(word.lastIndexOf("/") + 1);
  return MISSING.test(name) ? name : undefined;
}
