import { IS_SOAK } from "#test/support/soak.ts";
/** How often a race is run whose winner chance decides: the long form is that of `npm run soak`. */
export const RACES = IS_SOAK ? 10 : 3;
