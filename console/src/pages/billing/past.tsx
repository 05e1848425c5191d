import { useState } from "preact/hooks";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Pager } from "../../parts/pager.tsx";
import { money } from "./money.ts";
import { ROWS, usePurchases, useTransactions } from "./reads.ts";

/** Credits that the team bought. */
export function Purchases() {
  const [page, setPage] = useState(1);
  return (
    <section aria-label="Bought credits">
      <h2>Bought credits</h2>
      <Loaded of={usePurchases(page)}>
        {({ purchases }) => (
          <>
            {purchases.length === 0 && <p class="muted">None were bought.</p>}
            <ul class="list">
              {purchases.map(({ id, credits_amount, amount_cents, status, created_at }) => (
                <li key={id}>
                  <span>{credits_amount} credits</span>
                  <span>{money(amount_cents)}</span>
                  <span>{status}</span>
                  <span class="muted small">
                    <Moment at={created_at} />
                  </span>
                </li>
              ))}
            </ul>
            <Pager page={page} hasMore={purchases.length === ROWS} go={setPage} />
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Money that the team paid, and that it got back. */
export function Payments() {
  const [page, setPage] = useState(1);
  return (
    <section aria-label="Payments">
      <h2>Payments</h2>
      <Loaded of={useTransactions(page)}>
        {({ transactions }) => (
          <>
            {transactions.length === 0 && <p class="muted">Nothing was paid.</p>}
            <ul class="list">
              {transactions.map(({ id, type, amount_cents, status, created_at }) => (
                <li key={id}>
                  <span>{type.replaceAll("_", " ")}</span>
                  <span>{money(amount_cents)}</span>
                  <span>{status.replaceAll("_", " ")}</span>
                  <span class="muted small">
                    <Moment at={created_at} />
                  </span>
                </li>
              ))}
            </ul>
            <Pager page={page} hasMore={transactions.length === ROWS} go={setPage} />
          </>
        )}
      </Loaded>
    </section>
  );
}
