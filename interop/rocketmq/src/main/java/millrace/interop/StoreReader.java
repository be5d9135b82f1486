package millrace.interop;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.rocketmq.store.ConsumeQueueExt;
import org.apache.rocketmq.store.DefaultMessageStore;
import org.apache.rocketmq.store.GetMessageResult;
import org.apache.rocketmq.store.MessageFilter;
import org.apache.rocketmq.store.QueryMessageResult;
import org.apache.rocketmq.store.SelectMappedBufferResult;

/** Reads a store as a broker does: by queue offset, by key, by time. */
final class StoreReader {
    private static final int QUEUE_OFFSET_OFFSET = 20;
    private static final int PHYSICAL_OFFSET_OFFSET = 28;

    private final DefaultMessageStore store;

    StoreReader(OpenStore open) {
        this.store = open.store;
    }

    JsonArray getAll(JsonArray requests) {
        JsonArray answers = new JsonArray();
        for (JsonElement element : requests) {
            answers.add(get(element.getAsJsonObject()));
        }
        return answers;
    }

    private JsonObject get(JsonObject request) {
        GetMessageResult result = store.getMessage(
            "interop",
            request.get("topic").getAsString(),
            request.get("queueId").getAsInt(),
            request.get("offset").getAsLong(),
            request.get("maxCount").getAsInt(),
            request.has("tags") ? new TagHashes(request.get("tags").getAsString()) : null);
        JsonObject answer = new JsonObject();
        answer.addProperty("status", result.getStatus().name());
        answer.addProperty("nextOffset", result.getNextBeginOffset());
        answer.addProperty("minOffset", result.getMinOffset());
        answer.addProperty("maxOffset", result.getMaxOffset());
        JsonArray queueOffsets = new JsonArray();
        JsonArray positions = new JsonArray();
        for (SelectMappedBufferResult message : result.getMessageMapedList()) {
            queueOffsets.add(message.getByteBuffer().getLong(QUEUE_OFFSET_OFFSET));
            positions.add(message.getStartOffset());
        }
        result.release();
        answer.add("queueOffsets", queueOffsets);
        answer.add("positions", positions);
        return answer;
    }

    /** Positions of the records that the index finds for each key, in the order of the answer. */
    JsonArray queryAll(JsonArray requests) {
        JsonArray answers = new JsonArray();
        for (JsonElement element : requests) {
            JsonObject request = element.getAsJsonObject();
            QueryMessageResult result = store.queryMessage(
                request.get("topic").getAsString(),
                request.get("key").getAsString(),
                request.get("maxCount").getAsInt(),
                request.get("begin").getAsLong(),
                request.has("end") ? request.get("end").getAsLong() : Long.MAX_VALUE);
            JsonArray positions = new JsonArray();
            if (result != null) {
                for (ByteBuffer message : result.getMessageBufferList()) {
                    positions.add(message.getLong(PHYSICAL_OFFSET_OFFSET));
                }
                result.release();
            }
            answers.add(positions);
        }
        return answers;
    }

    /** For each time the offsets with both boundaries; null in versions that know none. */
    JsonArray offsetsByTime(JsonArray requests) throws Exception {
        JsonArray answers = new JsonArray();
        Method method = methodWithBoundary();
        for (JsonElement element : requests) {
            JsonObject request = element.getAsJsonObject();
            JsonObject answer = new JsonObject();
            answer.add("lower", offsetByTime(method, request, "LOWER"));
            answer.add("upper", offsetByTime(method, request, "UPPER"));
            answers.add(answer);
        }
        return answers;
    }

    private JsonElement offsetByTime(Method method, JsonObject request, String boundary) throws Exception {
        if (method == null) {
            return JsonNull.INSTANCE;
        }
        Object offset = method.invoke(
            store,
            request.get("topic").getAsString(),
            request.get("queueId").getAsInt(),
            request.get("timeMs").getAsLong(),
            Stream.of(method.getParameterTypes()[3].getEnumConstants())
                .filter(constant -> constant.toString().equals(boundary))
                .findFirst()
                .orElseThrow());
        return new JsonPrimitive((Long) offset);
    }

    private static Method methodWithBoundary() {
        for (Method method : DefaultMessageStore.class.getMethods()) {
            if (method.getName().equals("getOffsetInQueueByTime") && method.getParameterCount() == 4) {
                return method;
            }
        }
        return null;
    }

    /** A broker's filter by tags compares hashes only. */
    private static final class TagHashes implements MessageFilter {
        private final Set<Long> codes;

        TagHashes(String expression) {
            codes = List.of(expression.split("\\|\\|")).stream()
                .map(tag -> (long) tag.trim().hashCode())
                .collect(Collectors.toSet());
        }

        @Override
        public boolean isMatchedByConsumeQueue(Long tagsCode, ConsumeQueueExt.CqExtUnit unit) {
            return tagsCode != null && codes.contains(tagsCode);
        }

        @Override
        public boolean isMatchedByCommitLog(ByteBuffer record, Map<String, String> properties) {
            return true;
        }
    }
}
