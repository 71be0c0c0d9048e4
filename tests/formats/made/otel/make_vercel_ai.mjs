// Makes vercel_ai.jsonl: an agent of Vercel's AI SDK with a scripted model, and its telemetry.
//
// npm install ai@5 zod @opentelemetry/sdk-trace-base@1 @opentelemetry/sdk-trace-node@1
// node make_vercel_ai.mjs > vercel_ai.jsonl
//
// The spans are written as the exporter of OpenTelemetry for JavaScript gives them to the console.
import { generateText, streamText, stepCountIs, tool } from "ai";
import { MockLanguageModelV2, simulateReadableStream } from "ai/test";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { z } from "zod";

const exporter = new InMemorySpanExporter();
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const asked = (id, toolName, input) => ({
  type: "tool-call", toolCallId: id, toolName, input: JSON.stringify(input),
});
const script = [
  [{ type: "text", text: "I look at both." },
   asked("c1", "get_weather", { city: "Paris" }), asked("c2", "get_weather", { city: "Atlantis" })],
  [asked("c3", "book_room", { hotel: "H7", nights: 2 })],
  [{ type: "text", text: "Booked in Paris." }],
];
let at = 0;
const model = new MockLanguageModelV2({
  doGenerate: async () => {
    const content = script[at++];
    const finishReason = content.some((c) => c.type === "tool-call") ? "tool-calls" : "stop";
    return { content, finishReason, usage, warnings: [] };
  },
});
const tools = {
  get_weather: tool({
    description: "Tells the weather.", inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      if (city === "Atlantis") throw new Error("no such city");
      return { weather: "sunny", city };
    },
  }),
  book_room: tool({
    description: "Books a room.", inputSchema: z.object({ hotel: z.string(), nights: z.number() }),
    execute: async () => "booked B1",
  }),
};
await generateText({
  model, tools, stopWhen: stepCountIs(5),
  system: "You plan trips.", prompt: "A room in Paris or Atlantis, please.",
  experimental_telemetry: { isEnabled: true, functionId: "trip" },
});
const time = ([s, n]) => `${s}${String(n).padStart(9, "0")}`;
for (const span of exporter.getFinishedSpans()) {
  const { traceId, spanId } = span.spanContext();
  const parentSpanId = span.parentSpanContext?.spanId ?? span.parentSpanId;
  console.log(JSON.stringify({
    traceId, spanId, parentSpanId, name: span.name, kind: span.kind,
    startTimeUnixNano: time(span.startTime), endTimeUnixNano: time(span.endTime),
    attributes: span.attributes, status: span.status,
    events: span.events.map((e) => ({ name: e.name, attributes: e.attributes })),
  }));
}
