import { signal } from "@preact/signals";

interface Leaving {
  readonly message: string;
  isAccepted: boolean;
}

/** The messages on their way, by chat: they stay so while the person looks at another page. */
const messages = signal<ReadonlyMap<string, Leaving>>(new Map());

/** The message of a chat that is on its way. Read while rendering, it renders again when that has changed. */
export const onItsWay = (chatId: string): Leaving | undefined => messages.value.get(chatId);

/** Keeps a message as one on its way until it is accepted or refused. */
export async function sent(chatId: string, message: string, answer: Promise<unknown>): Promise<void> {
  const leaving = { message, isAccepted: false };
  messages.value = new Map([...messages.value, [chatId, leaving]]);
  try {
    await answer;
    leaving.isAccepted = true;
  } finally {
    messages.value = new Map([...messages.value].filter(([id]) => id !== chatId));
  }
}
