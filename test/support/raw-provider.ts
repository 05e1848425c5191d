import { startScriptedProvider, type Script, type ScriptedProvider } from "./scripted-provider.ts";

export type RawProvider = ScriptedProvider;

/** The scripted provider. It speaks the wire that it is asked in, so that the first argument makes no difference. */
export const startRawProvider = (_wire: object, answers: Script): Promise<ScriptedProvider> =>
  startScriptedProvider(answers);
