import { z } from "zod";
import { accountVariables } from "./accounts.ts";
import { agentVariables } from "./agent.ts";
import { billingVariables } from "./billing.ts";
import { ceilingVariables } from "./ceilings.ts";
import { creditVariables } from "./credits.ts";
import { gatewayVariables } from "./gateway.ts";
import { hostingVariables } from "./hosting.ts";
import { limitVariables } from "./limits.ts";
import { modelVariables } from "./models.ts";
import { projectVariables } from "./projects.ts";
import { serviceVariables } from "./service.ts";

/** The variables that an operator may set. Names and defaults are a contract; other programs rely on them. */
export const Variables = z.object({
  ...serviceVariables,
  ...modelVariables,
  ...accountVariables,
  ...gatewayVariables,
  ...limitVariables,
  ...ceilingVariables,
  ...projectVariables,
  ...agentVariables,
  ...creditVariables,
  ...billingVariables,
  ...hostingVariables,
});

export type Variables = z.output<typeof Variables>;
