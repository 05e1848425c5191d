import { command } from "../command.ts";
import { openService } from "../service.ts";

export const usage = command("usage", {
  description: "Show credits, and what the last 30 days took",
  async run(context) {
    const { workspace, caller } = await openService(context);
    if (caller === "key") {
      const found = await workspace.request("GET", "/api/v1/usage");
      const { credits, usage_30d: used } = found;
      context.output.show(found, () => [
        [`Credits     ${credits.total}`],
        [`Model calls ${used.total_requests}`],
        [`Tokens      ${used.total_tokens_in} in, ${used.total_tokens_out} out`],
        [`Cost        ${dollars(used.total_cost_cents)}`],
      ]);
      return;
    }
    const credits = await workspace.request("GET", "/api/billing/credits");
    const used = await workspace.request("GET", "/api/billing/usage");
    context.output.show({ credits, usage: used }, () => [
      [`Tier        ${credits.tier}`],
      [`Credits     ${credits.total_credits}`],
      [`Model calls ${used.total_requests}`],
      [
        `Tokens      ${used.total_tokens_input} in (${used.total_tokens_cache_read} cached), ${used.total_tokens_output} out`,
      ],
      [`Cost        ${dollars(used.total_cost_cents)}`],
      ...Object.entries(used.by_model).map(([model, each]) => [
        `  ${model}: ${each.requests} calls, ${dollars(each.cost_cents)}`,
      ]),
    ]);
  },
});

function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}
