/** The bonus of a team's row that can be spent now; `signup_bonus_expires_at` null is a bonus without an end. */
export function usableBonus(
  team: { signupBonusCredits: number; signupBonusExpiresAt: Date | null } | null | undefined,
): number {
  if (!team) return 0;
  const { signupBonusCredits, signupBonusExpiresAt: expiresAt } = team;
  return expiresAt !== null && expiresAt.getTime() <= Date.now() ? 0 : signupBonusCredits;
}
