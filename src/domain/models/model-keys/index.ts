export { addModel, deleteModel, idOfAdded, prefixOf, type ModelToAdd } from "./added-models.ts";
export { chooseFundedModel, costsCredits } from "./choose-funded-model.ts";
export { chooseModelFor, secretPrompt, type ChooseModelDeps, type ChosenModel } from "./choose-model.ts";
export {
  addCustomProvider,
  changeCustomProvider,
  deleteCustomProvider,
  listCustomProviders,
  type ShownProvider,
} from "./custom-providers.ts";
export { INTEGRATIONS } from "./integrations.ts";
export { checkModelId } from "./check-model-id.ts";
export { isSwitchedOff } from "./switched-off.ts";
export { listModels, type ListedModel } from "./list-models.ts";
export { changePreference, readPreferences } from "./model-preferences.ts";
export { ownKeyValues } from "./own-key-values.ts";
export { sealedKeys } from "./queries/keys.ts";
export { sealedHeaders } from "./queries/providers.ts";
export { isPlatformModel, parseModelId } from "./parse-model-id.ts";
export { listKeys, revealKey, showKey, type ShownKey } from "./show-keys.ts";
export { changeKey, deleteKey, storeKey, type KeyChange } from "./store-key.ts";
export { testKey, type TestKeyDeps } from "./test-key.ts";
