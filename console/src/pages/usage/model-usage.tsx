import { Loaded } from "../../parts/loaded.tsx";
import { money } from "../../parts/money.ts";
import { number } from "../../parts/numbers.ts";
import type { Days } from "./periods.ts";
import { useUsage } from "./reads.ts";

/** What each model cost in a period. */
export function ModelUsage({ days }: { days: Days }) {
  return (
    <section aria-label="By model">
      <h2>By model</h2>
      <Loaded of={useUsage(days)}>
        {(usage) => (
          <div class="scrolled" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">Model</th>
                  <th scope="col" class="number">
                    Calls
                  </th>
                  <th scope="col" class="number">
                    Tokens in
                  </th>
                  <th scope="col" class="number">
                    Tokens out
                  </th>
                  <th scope="col" class="number">
                    Cost
                  </th>
                </tr>
              </thead>
              <tbody>
                {Object.entries(usage.by_model).map(([model, part]) => (
                  <tr key={model}>
                    <th scope="row">{model}</th>
                    <td class="number">{number(part.requests)}</td>
                    <td class="number">{number(part.tokens_input)}</td>
                    <td class="number">{number(part.tokens_output)}</td>
                    <td class="number">{money(part.cost_cents)}</td>
                  </tr>
                ))}
              </tbody>
              <tfoot>
                <tr>
                  <th scope="row">Total</th>
                  <td class="number">{number(usage.total_requests)}</td>
                  <td class="number">{number(usage.total_tokens_input)}</td>
                  <td class="number">{number(usage.total_tokens_output)}</td>
                  <td class="number">{money(usage.total_cost_cents)}</td>
                </tr>
              </tfoot>
            </table>
          </div>
        )}
      </Loaded>
    </section>
  );
}
