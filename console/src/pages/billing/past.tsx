import { useState } from "preact/hooks";
import { State, stateWord } from "../../parts/badge.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { plural } from "../../parts/numbers.ts";
import { Pager } from "../../parts/pager.tsx";
import { money } from "../../parts/money.ts";
import { ROWS, usePurchases, useTransactions } from "./reads.ts";

/** Credits that the team bought. */
export function Purchases() {
  const [page, setPage] = useState(1);
  return (
    <section aria-label="Credit purchases">
      <h2>Credit purchases</h2>
      <Loaded of={usePurchases(page)}>
        {({ purchases }) => (
          <>
            {purchases.length === 0 && <p class="muted">No purchases yet.</p>}
            <ul class="list">
              {purchases.map(({ id, credits_amount, amount_cents, status, created_at }) => (
                <li key={id}>
                  <span>{plural(credits_amount, "credit")}</span>
                  <span>{money(amount_cents)}</span>
                  <State of={status} />
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
            {transactions.length === 0 && <p class="muted">No payments yet.</p>}
            <ul class="list">
              {transactions.map(({ id, type, amount_cents, status, created_at }) => (
                <li key={id}>
                  <span>{stateWord(type)}</span>
                  <span>{money(amount_cents)}</span>
                  <State of={status} />
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
