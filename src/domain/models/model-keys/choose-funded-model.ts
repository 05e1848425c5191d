import { payerById } from "#src/domain/metering/credits/index.ts";
import { priceOf } from "#src/domain/metering/usage/index.ts";
import { AppError } from "#src/lib/errors.ts";
import { ModelError } from "#src/models/model.ts";
import { chooseModelFor, type ChooseModelDeps, type ChosenModel, type ModelUser } from "./choose-model.ts";

/**
 * The model with an id, for a call outside of tasks, if the model is free or the team has credits. One round trip more
 * than `chooseModelFor`. Throws `invalid_input` where `chooseModelFor` refuses, `forbidden` where the tier is the
 * reason, and `insufficient_credits`.
 */
export async function chooseFundedModel(
  deps: ChooseModelDeps,
  who: Pick<ModelUser, "userId" | "teamId">,
  id: string | null,
): Promise<ChosenModel> {
  const [team] = await payerById(deps.db, who.teamId);
  const chosen = await choose(deps, { ...who, disabledModels: team?.disabledModels ?? [] }, id);
  if (!costsCredits(chosen) || (team && team.credits > 0)) return chosen;
  throw new AppError("insufficient_credits", "The team has no credits left");
}

/** Whether credits pay for a model's calls: not for calls on own keys, nor for the scripted model. */
export function costsCredits({ id, isByok }: Pick<ChosenModel, "id" | "isByok">): boolean {
  const { input, output } = priceOf(id);
  return !isByok && input + output > 0;
}

async function choose(deps: ChooseModelDeps, who: ModelUser, id: string | null): Promise<ChosenModel> {
  try {
    return await chooseModelFor(deps, who, id);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const code = error.code === "forbidden" ? "forbidden" : "invalid_input";
    throw new AppError(code, error.message, { cause: error });
  }
}
