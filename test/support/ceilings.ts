import { z } from "zod";
import { ceilingVariables } from "#src/configuration/variables/ceilings.ts";
import { gatewayVariables } from "#src/configuration/variables/gateway.ts";
import { projectVariables } from "#src/configuration/variables/projects.ts";

const { GATEWAY_MAX_SCHEDULES_PER_USER } = gatewayVariables;
const { SHELL_SESSIONS_PER_USER, SHELL_SESSIONS_PER_PROJECT, SHELL_SESSIONS_PER_CHAT } = projectVariables;

/** The ceilings of an installation that sets none, without those that depend on the tier. */
export const DEFAULT_CEILINGS = z
  .object({
    ...ceilingVariables,
    GATEWAY_MAX_SCHEDULES_PER_USER,
    SHELL_SESSIONS_PER_USER,
    SHELL_SESSIONS_PER_PROJECT,
    SHELL_SESSIONS_PER_CHAT,
  })
  .parse({});
