/** The spendable bonus of a team's row. A null `signup_bonus_expires_at` never expires. */
export function usableBonus(
  team: { signupBonusCredits: number; signupBonusExpiresAt: Date | null } | null | undefined,
): number {
  if (!team) return 0;
  const { signupBonusCredits, signupBonusExpiresAt: expiresAt } = team;
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? 0 : signupBonusCredits;
}
