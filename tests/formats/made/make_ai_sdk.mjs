// Makes ai_sdk.jsonl: one conversation as the AI SDK's model messages and as its UI messages.
//
//     npm install ai@6.0.326 zod && node make_ai_sdk.mjs
//
// The SDK's own loop runs, with real tools; what its model says is a script.

import { writeFileSync } from 'node:fs';
import { createUIMessageStream, generateText, readUIMessageStream, stepCountIs, streamText, tool } from 'ai';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
import { z } from 'zod';

const calls = (...made) => made.map(([id, name, input]) => ({
  type: 'tool-call', toolCallId: id, toolName: name, input: typeof input === 'string' ? input : JSON.stringify(input),
}));
const text = said => ({ type: 'text', text: said });

const SCRIPT = [
  [{ type: 'reasoning', text: 'Hotels first.' }, text('I look for hotels.'), ...calls(
    ['call_hotels', 'searchHotels', { city: 'Rome', maxPrice: 150 }],
    ['call_weather', 'getWeather', { city: 'Rome' }])],
  calls(['call_full', 'bookHotel', { hotel: 'H7' }]),
  calls(['call_bad', 'bookHotel', { inn: 'H9' }], ['call_none', 'rentCar', { days: 2 }]),
  [text('H7 is full, so I take H9.'), ...calls(['call_book', 'bookHotel', { hotel: 'H9' }])],
  [text('H9 is yours.')],
];

const tools = {
  searchHotels: tool({
    description: 'Finds the hotels of a city.',
    inputSchema: z.object({ city: z.string(), maxPrice: z.number() }),
    execute: async ({ city }) => [{ id: 'H7', price: 90, city }, { id: 'H9', price: 120, city }],
  }),
  getWeather: tool({
    description: 'Tells the weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => `Sunny in ${city}.`,
  }),
  bookHotel: tool({
    description: 'Books a room.',
    inputSchema: z.object({ hotel: z.string() }),
    execute: async ({ hotel }) => {
      if (hotel === 'H7') throw new Error('H7 is full.');
      return { booked: hotel };
    },
  }),
};

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finish = answer => ({
  unified: answer.some(part => part.type === 'tool-call') ? 'tool-calls' : 'stop', raw: undefined,
});

function* streamed(answer) {
  yield { type: 'stream-start', warnings: [] };
  for (const [index, part] of answer.entries()) {
    const id = String(index);
    if (part.type === 'tool-call') {
      yield part;
    } else {
      yield { type: `${part.type}-start`, id };
      yield { type: `${part.type}-delta`, id, delta: part.text };
      yield { type: `${part.type}-end`, id };
    }
  }
  yield { type: 'finish', finishReason: finish(answer), usage };
}

function scripted() {
  let said = 0;
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const answer = SCRIPT[said++];
      return { content: answer, finishReason: finish(answer), usage, warnings: [] };
    },
    doStream: async () => ({
      stream: simulateReadableStream({ chunks: [...streamed(SCRIPT[said++])] }),
    }),
  });
}

const asked = [{ role: 'user', content: 'A room in Rome, please.' }];
const options = { tools, messages: asked, stopWhen: stepCountIs(9) };
const { response } = await generateText({ model: scripted(), ...options });

const shown = [{ id: 'u1', role: 'user', parts: [text(asked[0].content)] }];
let whole;
const stream = streamText({ model: scripted(), ...options }).toUIMessageStream({
  originalMessages: shown, generateMessageId: () => 'a1', onFinish: ({ messages }) => { whole = messages; },
});
for await (const _ of readUIMessageStream({ stream })); // it is read to its end

const runs = [{ messages: [...asked, ...response.messages] }, { messages: whole }];
writeFileSync(new URL('ai_sdk.jsonl', import.meta.url), runs.map(run => JSON.stringify(run) + '\n').join(''));
