import { each } from "./rows.ts";

/** Payments of each person in the past year. */
const PAYMENTS_EACH = 50;
/** Events that the provider sends of one payment. */
const EVENTS_EACH = 4;
/** What a sweep finds to do, at every size. */
const OPEN = 10;

/** Statements that fill the tables of payments, as `rowsOfOthers`: one subscription is current of each two people. */
export function rowsOfPayments(users: number): string[] {
  const payments = users * PAYMENTS_EACH;
  const user = (n: string) => `growth_id('user', 1 + ${n} % ${users})`;
  const team = (n: string) => `growth_id('personal', 1 + ${n} % ${users})`;
  const moment = `growth_at(n, ${payments})`;
  return [
    `INSERT INTO checkouts (id, team_id, user_id, type, item, customer_id, amount_cents, currency, return_origin, terms, status,
        session_id, payment_intent_id, created_at, settled_at)
      SELECT growth_id('checkout', n), ${team("n")}, ${user("n")}, 'credit_purchase', 'small', 'cus_' || n, 500, 'usd',
        'https://service.test', '{}', CASE WHEN n > ${payments - OPEN} THEN 'pending' ELSE 'paid' END, 'cs_' || n, 'pi_' || n,
        ${moment}, CASE WHEN n <= ${payments - OPEN} THEN ${moment} END FROM ${each(payments)}`,
    `INSERT INTO transactions (id, team_id, user_id, type, checkout_id, creator_id, amount_cents, creator_cents, platform_cents,
        currency, payment_intent_id, charge_id, observed_at, created_at)
      SELECT growth_id('transaction', n), ${team("n")}, ${user("n")}, 'one_time', growth_id('checkout', n), ${user("n + 1")}, 500,
        450, 50, 'usd', 'pi_' || n, 'ch_' || n, CASE WHEN n <= ${payments - OPEN} THEN now() END, ${moment}
      FROM ${each(payments)}`,
    `INSERT INTO payouts (id, transaction_id, creator_id, amount_cents, currency, status, transfer_id, created_at)
      SELECT growth_id('payout', n), growth_id('transaction', n), ${user("n + 1")}, 450, 'usd',
        CASE WHEN n > ${payments - OPEN} THEN 'pending' ELSE 'paid' END, 'tr_' || n, ${moment} FROM ${each(payments)}`,
    `INSERT INTO subscriptions (id, subscription_id, team_id, user_id, tier, price_id, currency, status, period_start, period_end,
        observed_at)
      SELECT growth_id('subscription', n), 'sub_' || n, ${team("n")}, ${user("n")}, 'pro', 'price_pro', 'usd',
        CASE WHEN n % 10 = 0 THEN 'active' ELSE 'canceled' END, now() - interval '10 days',
        now() + CASE WHEN n % 10 = 0 THEN interval '20 days' ELSE interval '-1 day' END, now()
      FROM ${each(users * 5)}`,
    `INSERT INTO stripe_events (id, type, object_id, status, attempts, created_at, settled_at)
      SELECT 'evt_' || n, 'checkout.session.completed', 'cs_' || n, CASE WHEN n <= ${OPEN} THEN 'failed' ELSE 'done' END, 1,
        now() - (1 + n % 88) * interval '1 day', now() FROM ${each(payments * EVENTS_EACH)}`,
  ];
}
