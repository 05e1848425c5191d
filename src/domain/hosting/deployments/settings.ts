import type { DeploymentSettings } from "#src/db/schema/index.ts";
import { HOSTING_FACTS } from "#src/domain/hosting/credentials/index.ts";
import type { Container } from "#src/domain/workspaces/containers/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { normalizePath } from "#src/lib/project-path.ts";
import type { DeploymentMode, HostingName } from "#src/platform/hosting/hosting.ts";

/** What a request says of the build; absent fields are those of the container. */
export interface BuildInput {
  mode?: DeploymentMode | undefined;
  buildCommand?: string | undefined;
  outputDirectory?: string | undefined;
  framework?: string | undefined;
  branch?: string | undefined;
}

/**
 * Who builds. A provider that always builds does so in either mode. Throws `invalid_input` for one that takes built
 * files alone.
 */
export function modeOf(provider: HostingName, wished: DeploymentMode | undefined): DeploymentMode {
  const { modes, label } = HOSTING_FACTS[provider];
  const [byDefault] = modes;
  if (wished === undefined || (byDefault === "source" && modes.length === 1)) return byDefault;
  if (modes.includes(wished)) return wished;
  throw new AppError(
    "invalid_input",
    `deployment_mode: ${label} takes built files, so it must be \`pre-built\``,
  );
}

/** How a deployment is built: as its container says, where the request does not say otherwise. */
export function settingsOf(input: BuildInput, container: Container | undefined): DeploymentSettings {
  const outputDirectory = input.outputDirectory ?? container?.outputDirectory ?? null;
  return {
    directory: container?.directory ?? "",
    framework: input.framework ?? container?.framework ?? null,
    buildCommand: emptyToNull(input.buildCommand ?? container?.buildCommand ?? null),
    outputDirectory: outputDirectory === null ? null : normalizePath(outputDirectory),
    branch: input.branch ?? null,
    again: null,
  };
}

const emptyToNull = (text: string | null) => (text?.trim() === "" ? null : text);
