import { number, plural } from "./numbers.ts";

interface Credits {
  total_credits: number;
  bundled_credits: number;
  daily_credits: number;
  purchased_credits: number;
  signup_bonus_credits: number;
}

/** Credits by where they came from, without what is used up: `15,005 credits: 15,000 welcome, 5 today`. */
export function creditsInWords(credits: Credits): string {
  const sources = [
    [credits.bundled_credits, "from the plan"],
    [credits.purchased_credits, "bought"],
    [credits.signup_bonus_credits, "welcome"],
    [credits.daily_credits, "today"],
  ] as const;
  const parts = sources.filter(([count]) => count > 0).map(([count, source]) => `${number(count)} ${source}`);
  const total = plural(credits.total_credits, "credit");
  return parts.length === 0 ? total : `${total}: ${parts.join(", ")}`;
}
