package millrace.interop;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
// Some of these classes have moved from one of these packages to another between the versions.
import org.apache.rocketmq.common.message.*;
import org.apache.rocketmq.store.*;

/** Puts messages that are described in JSON. */
final class StoreWriter {
    private final OpenStore open;

    StoreWriter(OpenStore open) {
        this.open = open;
    }

    /** Puts messages one by one; each has its result. */
    JsonArray putAll(JsonArray messages) throws Exception {
        JsonArray results = new JsonArray();
        for (JsonElement element : messages) {
            JsonObject message = element.getAsJsonObject();
            MessageExtBrokerInner inner = new MessageExtBrokerInner();
            fill(inner, message);
            inner.setSysFlag(message.get("sysFlag").getAsInt());
            inner.setReconsumeTimes(message.get("reconsumeTimes").getAsInt());
            inner.setPreparedTransactionOffset(message.get("preparedTransactionOffset").getAsLong());
            inner.setPropertiesString(MessageDecoder.messageProperties2String(inner.getProperties()));
            results.add(describe(open.store.putMessage(inner)));
        }
        open.settle();
        return results;
    }

    /** Puts messages as a client's batch: one result for all. */
    JsonArray putBatch(JsonArray messages) throws Exception {
        List<Message> parts = new ArrayList<>();
        for (JsonElement element : messages) {
            JsonObject part = element.getAsJsonObject();
            Message message = new Message(part.get("topic").getAsString(), body(part));
            MessageAccessor.setProperties(message, properties(part));
            message.setFlag(part.get("flag").getAsInt());
            parts.add(message);
        }
        MessageExtBatch batch = new MessageExtBatch();
        fill(batch, messages.get(0).getAsJsonObject());
        batch.setBody(MessageDecoder.encodeMessages(parts));
        MessageAccessor.setProperties(batch, new HashMap<>());
        JsonArray results = new JsonArray();
        results.add(describe(open.store.putMessages(batch)));
        open.settle();
        return results;
    }

    private static void fill(MessageExt message, JsonObject from) throws UnknownHostException {
        message.setTopic(from.get("topic").getAsString());
        message.setQueueId(from.get("queueId").getAsInt());
        message.setBody(body(from));
        message.setFlag(from.get("flag").getAsInt());
        message.setBornTimestamp(from.get("bornTimestamp").getAsLong());
        message.setBornHost(Hosts.parse(from.get("bornHost").getAsString()));
        message.setStoreHost(Hosts.parse(from.get("storeHost").getAsString()));
        MessageAccessor.setProperties(message, properties(from));
    }

    private static byte[] body(JsonObject from) {
        return Base64.getDecoder().decode(from.get("body").getAsString());
    }

    private static Map<String, String> properties(JsonObject from) {
        Map<String, String> properties = new HashMap<>();
        from.getAsJsonObject("properties").entrySet().forEach(
            property -> properties.put(property.getKey(), property.getValue().getAsString()));
        return properties;
    }

    private static JsonObject describe(PutMessageResult result) {
        JsonObject described = new JsonObject();
        described.addProperty("status", result.getPutMessageStatus().name());
        AppendMessageResult append = result.getAppendMessageResult();
        if (append != null) {
            described.addProperty("position", append.getWroteOffset());
            described.addProperty("length", append.getWroteBytes());
            described.addProperty("queueOffset", append.getLogicsOffset());
            described.addProperty("storeTimestamp", append.getStoreTimestamp());
            described.addProperty("messageIds", append.getMsgId());
        }
        return described;
    }
}
