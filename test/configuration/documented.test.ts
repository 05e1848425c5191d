import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
import { LocalVariables } from "#local/configuration.ts";
import { Variables } from "#src/configuration/index.ts";
import { accountVariables } from "#src/configuration/variables/accounts.ts";
import { agentVariables } from "#src/configuration/variables/agent.ts";
import { billingVariables } from "#src/configuration/variables/billing.ts";
import { ceilingVariables } from "#src/configuration/variables/ceilings.ts";
import { creditVariables } from "#src/configuration/variables/credits.ts";
import { gatewayVariables } from "#src/configuration/variables/gateway.ts";
import { hostingVariables } from "#src/configuration/variables/hosting.ts";
import { limitVariables } from "#src/configuration/variables/limits.ts";
import { modelVariables } from "#src/configuration/variables/models.ts";
import { projectVariables } from "#src/configuration/variables/projects.ts";
import { serviceVariables } from "#src/configuration/variables/service.ts";
import { agentLimits } from "#src/domain/agent-work/tasks/agent-limits.ts";
import { modelSettings } from "#src/models/settings.ts";

/** The groups of variables in code, by the title of their section. */
const SECTIONS: Readonly<Record<string, z.ZodRawShape>> = {
  "`npm start`": LocalVariables.shape,
  Service: serviceVariables,
  Models: modelVariables,
  Accounts: accountVariables,
  Limits: limitVariables,
  Ceilings: ceilingVariables,
  Projects: projectVariables,
  Agent: agentVariables,
  Gateway: gatewayVariables,
  Credits: creditVariables,
  Billing: billingVariables,
  Hosting: hostingVariables,
};

/** Defaults that the code around the schema applies to absent variables. */
const APPLIED_LATER: Readonly<Record<string, unknown>> = {
  ...agentLimits({ USER_RATE_PER_MINUTE: 1, CHAT_RATE_PER_MINUTE: 1 }),
  ...Object.fromEntries(
    modelSettings({ DEFAULT_MODEL: "demo", BYOK_ENABLED_TIERS: "", PUBLIC_URL: "" }).providers.map(
      ({ id, baseUrl }) => [`${id.toUpperCase().replaceAll("-", "_")}_API_BASE`, baseUrl],
    ),
  ),
};

const page = readFileSync("docs/configuration.md", "utf8");
const sections = Array.from(
  page.matchAll(/^## (?<title>.+)\n(?<text>(?:(?!## ).*\n)*)/gmu),
  ({ groups }) => ({
    title: groups?.["title"] ?? "",
    rows: rowsIn(groups?.["text"] ?? ""),
  }),
);

function rowsIn(text: string) {
  return Array.from(text.matchAll(/^\| (?!Variable |-)(?<cells>.+) \|$/gmu), ({ groups }) => {
    const [name = "", fallback = "", unit = "", ...meaning] = (groups?.["cells"] ?? "")
      .split(" | ")
      .map((cell) => cell.trim());
    return { name: name.replaceAll("`", ""), fallback, unit, meaning: meaning.join() };
  });
}

/** The column "Default" for a variable, as the code has it. */
function defaultOf(name: string, schema: z.core.$ZodType): string {
  const parsed = z.safeParse(schema, undefined);
  if (!parsed.success) return "required";
  const value = parsed.data ?? APPLIED_LATER[name];
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "none";
  return `\`${z.union([z.string(), z.number(), z.boolean()]).parse(value)}\``;
}

it("docs/configuration.md has one section for each group of variables", () => {
  expect(sections.map(({ title }) => title)).toEqual(Object.keys(SECTIONS));
  const grouped = Object.values(SECTIONS).flatMap((shape) => Object.keys(shape));
  expect(grouped.toSorted()).toEqual(
    [...Object.keys(LocalVariables.shape), ...Object.keys(Variables.shape)].toSorted(),
  );
});

it.each(Object.entries(SECTIONS))(
  "docs/configuration.md, %s: one row per variable, with the default of the code",
  (title, shape) => {
    const rows = sections.find((section) => section.title === title)?.rows ?? [];
    expect(rows.map(({ name, fallback }) => `${name} = ${fallback}`).toSorted()).toEqual(
      Object.entries(shape)
        .map(([name, schema]) => `${name} = ${defaultOf(name, schema)}`)
        .toSorted(),
    );
    expect(rows.filter(({ unit, meaning }) => unit === "" || meaning === "")).toEqual([]);
  },
);
